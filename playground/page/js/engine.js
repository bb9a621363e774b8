// The worker that runs podgraft: one request at a time, and only the newest of each kind waits.

export class Engine {
  constructor(url, { onState, onReady, onProgress }) {
    this.url = url;
    this.onState = onState;
    this.onReady = onReady;
    this.onProgress = onProgress;
    this.number = 0;
    this.isReady = false;
    this.current = null;
    this.waiting = new Map();
  }

  start() {
    this.worker?.terminate();
    this.isReady = false;
    this.current = null;
    const worker = new Worker(this.url, { type: "module" });
    this.worker = worker;
    worker.onmessage = ({ data }) => this.worker === worker && this.receive(data);
    worker.onerror = (event) => this.worker === worker && this.fail(event.message || "the worker stopped");
    this.onState("loading");
  }

  // Resolves with the answer, or with null if a newer request replaced this one or it was stopped.
  request(kind, message) {
    this.waiting.get(kind)?.resolve(null);
    return new Promise((resolve) => {
      this.waiting.set(kind, { message: { ...message, do: kind }, resolve });
      this.send();
    });
  }

  stop() {
    const pending = this.drop();
    this.start();
    for (const each of pending) each?.resolve(null);
  }

  // The requests without an answer, which do not continue.
  drop() {
    const pending = [this.current, ...this.waiting.values()];
    this.waiting = new Map();
    return pending;
  }

  send() {
    if (!this.isReady || this.current || !this.waiting.size) return;
    const [kind, request] = this.waiting.entries().next().value;
    this.waiting.delete(kind);
    this.current = { ...request, id: ++this.number };
    this.onState("running");
    this.worker.postMessage({ id: this.current.id, text: JSON.stringify(request.message) });
  }

  receive(data) {
    if (data.fatal) return this.fail(data.fatal);
    if (data.progress) return this.onProgress(data.progress);
    if (data.ready) {
      this.isReady = true;
      this.onState("idle");
      this.onReady(data.ready);
    } else if (this.current?.id === data.id) {
      const { resolve } = this.current;
      this.current = null;
      if (!this.waiting.size) this.onState("idle");
      resolve(data.error ? { failure: data.error } : JSON.parse(data.text));
    }
    this.send();
  }

  // The worker cannot continue, for example after its stack overflowed: report it, and start again.
  fail(message) {
    const pending = this.drop();
    if (this.isReady) this.start();
    else this.onState("failed", message);
    for (const each of pending) each?.resolve({ failure: message });
  }
}
