// Drives Chromium for the tests: one JSON request a line on standard input, one answer a line.

import { createRequire } from "node:module";
import { readFileSync } from "node:fs";
import { createInterface } from "node:readline";

const require = createRequire(`${process.env.PODGRAFT_E2E_BROWSER}/package.json`);
const { chromium } = require("playwright-core");
const axe = readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
const browser = await chromium.launch({ executablePath: process.env.PODGRAFT_E2E_CHROMIUM, args: ["--no-sandbox", "--disable-dev-shm-usage"] });
const TIMEOUT = 180_000;
let context;
let page;
let requests = [];
let problems = [];

async function openPage(options, keep) {
  if (!keep) {
    await context?.close();
    context = await browser.newContext(options);
  } else await page?.close();
  page = await context.newPage();
  page.setDefaultTimeout(TIMEOUT);
  requests = [];
  problems = [];
  page.on("request", (request) => requests.push(request.url()));
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("console", (message) => message.type() === "error" && problems.push(message.text()));
}

const actions = {
  async open({ url, options = {}, keep = false }) {
    await openPage(options, keep);
    const start = Date.now();
    await page.goto(url);
    await actions.settle();
    return { milliseconds: Date.now() - start };
  },
  // Open a page that is not the playground itself.
  async goto({ url }) {
    await openPage({}, false);
    await page.goto(url);
    return {};
  },
  // Wait for an answer with its origins; *after* is the number of answers before the action.
  async settle({ after = 0 } = {}) {
    await page.waitForFunction((count) => Number(document.body.dataset.shown ?? 0) > count && document.body.dataset.state === "idle", after, { timeout: TIMEOUT });
    return {};
  },
  async answers() {
    return { count: await page.evaluate(() => Number(document.body.dataset.shown ?? 0)) };
  },
  async fill({ selector, value }) {
    await page.fill(selector, value);
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
    return { text: await page.inputValue(selector) };
  },
  async evaluate({ expression }) {
    return { value: (await page.evaluate(expression)) ?? null };
  },
  async waitFor({ expression }) {
    // Playwright's own polling compiles the expression in the page, which the page's policy forbids.
    for (const end = Date.now() + TIMEOUT; !(await page.evaluate(expression)); ) {
      if (Date.now() > end) throw new Error(`still false: ${expression}`);
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    return {};
  },
  async screenshot({ path }) {
    await page.screenshot({ path });
    return {};
  },
  async viewport({ width, height, scheme }) {
    await page.setViewportSize({ width, height });
    if (scheme) await page.emulateMedia({ colorScheme: scheme });
    return {};
  },
  async axe() {
    // The page's policy allows no inline script, so axe runs in the context of the driver.
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => window.axe.run());
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
