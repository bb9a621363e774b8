// Drives Chromium for the tests: one JSON request a line on standard input, one answer a line.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.PODGRAFT_E2E_BROWSER}/package.json`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.PODGRAFT_E2E_CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const TIMEOUT = 180_000; // of a result
const ACTION_TIMEOUT = 60_000;
let context;
let page;
let requests = [];
let problems = [];

// Violations of the page's policy are problems; a copied text is stored, as headless Chromium has no clipboard.
function watch() {
  window.copied = [];
  document.addEventListener("securitypolicyviolation", (event) => console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`));
  Object.defineProperty(navigator, "clipboard", { value: { writeText: async (text) => { window.copied.push(text); } } });
}

async function openPage(options, keep, worker, missing) {
  if (!keep) {
    await context?.close();
    context = await browser.newContext({ viewport: { width: 1280, height: 900 }, reducedMotion: "reduce", ...(worker || missing ? { serviceWorkers: "block" } : {}), ...options });
    await context.addInitScript(watch);
    if (worker) await context.route("**/worker.js", (route) => route.fulfill({ contentType: "text/javascript", body: worker }));
    // The page would wait for a service worker that never controls it.
    if (worker || missing) await context.addInitScript(() => { delete Navigator.prototype.serviceWorker; });
    if (missing) await context.route(`**/${missing}`, (route) => route.abort());
  } else await page?.close();
  page = await context.newPage();
  page.setDefaultTimeout(ACTION_TIMEOUT);
  requests = [];
  problems = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
}

// Encodes a picture, and compares the encoded one with a stored one: the encoder is deterministic.
async function compare([png, other]) {
  const read = async (type, base64) => createImageBitmap(await (await fetch(`data:${type};base64,${base64}`)).blob());
  const pixels = (image) => {
    const canvas = new OffscreenCanvas(image.width, image.height);
    canvas.getContext("2d").drawImage(image, 0, 0);
    return canvas;
  };
  const encoded = await pixels(await read("image/png", png)).convertToBlob({ type: "image/webp", quality: 0.5 });
  const bytes = new Uint8Array(await encoded.arrayBuffer());
  let text = "";
  for (const byte of bytes) text += String.fromCharCode(byte);
  const webp = btoa(text);
  if (!other) return { webp, share: 1 };
  const [left, right] = await Promise.all([webp, other].map((each) => read("image/webp", each)));
  if (left.width !== right.width || left.height !== right.height) return { webp, share: 1 };
  const [first, second] = [left, right].map((each) => pixels(each).getContext("2d").getImageData(0, 0, each.width, each.height).data);
  let count = 0;
  for (let index = 0; index < first.length; index += 4) {
    if (Math.max(...[0, 1, 2].map((offset) => Math.abs(first[index + offset] - second[index + offset]))) > 32) count += 1;
  }
  return { webp, share: (4 * count) / first.length };
}

const actions = {
  async open({ url, options = {}, keep = false }) {
    await openPage(options, keep);
    const start = Date.now();
    await page.goto(url);
    await actions.settle();
    return { milliseconds: Date.now() - start };
  },
  // Open a page that is not the playground itself, or the playground with another script as its worker, or without a file.
  async goto({ url, options = {}, worker = null, missing = null }) {
    await openPage(options, false, worker, missing);
    await page.goto(url);
    return {};
  },
  // Open another page of the same site, in the same tab.
  async visit({ url }) {
    await page.goto(url);
    return {};
  },
  // Wait for an answer with its origins; *after* is the number of answers before the action.
  async settle({ after = 0 } = {}) {
    try {
      await page.waitForFunction((count) => Number(document.body.dataset.shown ?? 0) > count && document.body.dataset.state === "idle", after, { timeout: TIMEOUT });
    } catch (error) {
      const { state, shown } = await page.evaluate(() => ({ ...document.body.dataset }));
      throw new Error(`${error.message} The page is ${state}, with ${shown} answers; ${after} before the action. Problems: ${problems.join("; ") || "none"}`);
    }
    return {};
  },
  async answers() {
    return { count: await page.evaluate(() => Number(document.body.dataset.shown ?? 0)) };
  },
  async fill({ selector, value }) {
    const isEditor = await page.evaluate((each) => {
      const editor = document.querySelector(`code-editor${each}`);
      return Boolean(editor);
    }, selector);
    if (!isEditor) await page.fill(selector, value);
    else {
      await page.evaluate(([each, text]) => {
        const editor = document.querySelector(each);
        editor.value = text;
        editor.dispatchEvent(new Event("input", { bubbles: true }));
      }, [selector, value]);
    }
    return {};
  },
  async type({ text }) {
    await page.keyboard.type(text);
    return {};
  },
  async select({ selector, value }) {
    await page.selectOption(selector, value);
    return {};
  },
  async click({ selector }) {
    await page.click(selector);
    return {};
  },
  async press({ keys }) {
    for (const key of keys) await page.keyboard.press(key);
    return {};
  },
  async text({ selector }) {
    return { text: await page.textContent(selector) };
  },
  async value({ selector }) {
    return { text: await page.evaluate((each) => document.querySelector(each).value, selector) };
  },
  async evaluate({ expression }) {
    return { value: (await page.evaluate(expression)) ?? null };
  },
  async waitFor({ expression, seconds = TIMEOUT / 1000 }) {
    // Playwright's own polling compiles the expression in the page, which the page's policy forbids.
    for (const end = Date.now() + 1000 * seconds; !(await page.evaluate(expression)); ) {
      if (Date.now() > end) throw new Error(`still false: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return {};
  },
  // The picture as WebP in base64, and the share of its pixels that differ from another one.
  async picture({ other = null }) {
    const shot = await page.screenshot({ animations: "disabled", caret: "hide" });
    const blank = await context.newPage();
    const result = await blank.evaluate(compare, [shot.toString("base64"), other]);
    await blank.close();
    return result;
  },
  async viewport({ width, height, scheme }) {
    await page.setViewportSize({ width, height });
    if (scheme) await page.emulateMedia({ colorScheme: scheme });
    return {};
  },
  // All rules, or those of *rules*.
  async axe({ rules = null }) {
    // The page's policy allows no inline script, so axe runs in the context of the driver.
    await page.evaluate(axe);
    const { violations } = await page.evaluate((names) => window.axe.run(names ? { runOnly: names } : {}), rules);
    return { violations: violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 120)).slice(0, 3).join(" ")}`) };
  },
  async requests() {
    return { requests, problems };
  },
};

for await (const line of createInterface({ input: process.stdin })) {
  const { action, ...parameters } = JSON.parse(line);
  try {
    process.stdout.write(`${JSON.stringify(await actions[action](parameters))}\n`);
  } catch (error) {
    process.stdout.write(`${JSON.stringify({ error: String(error.message).slice(0, 2000) })}\n`);
  }
}
await browser.close();
