// The edited input, for a reload or a return to the page. The browser keeps it for this tab, until the tab is closed.

import { checkState } from "./share.js";

const KEY = "podgraft-input";

// The input that was edited at this address; null without one.
export function readDraft() {
  try {
    const { hash, state } = JSON.parse(sessionStorage.getItem(KEY));
    return hash === location.hash ? checkState(state) : null;
  } catch {
    return null; // nothing is stored, or the browser forbids storage
  }
}

export function writeDraft(state) {
  try {
    sessionStorage.setItem(KEY, JSON.stringify({ hash: location.hash, state }));
  } catch {
    removeDraft(); // it is too large: an older text must not come back
  }
}

export function removeDraft() {
  try {
    sessionStorage.removeItem(KEY);
  } catch {
    // The browser forbids storage.
  }
}
