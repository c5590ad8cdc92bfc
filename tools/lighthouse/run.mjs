// Runs Lighthouse over home, list and detail of a running site and fails when a
// category scores below 95: node run.mjs http://localhost:8080
import { launch } from 'chrome-launcher';
import lighthouse from 'lighthouse';

const base = process.argv[2] ?? 'http://localhost:8080';
const least = 95;
const pages = ['/', '/directory/businesses', '/directory/businesses/blue-heron-bakery'];
const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
  '--disable-background-networking', '--disable-component-update', '--disable-sync'];

const chrome = await launch({ chromePath: process.env.CHROME_PATH ?? '/usr/bin/chromium', chromeFlags: flags });
let failed = false;
try {
  for (const page of pages) {
    const { lhr } = await lighthouse(base + page, { port: chrome.port, output: 'json', logLevel: 'error' });
    const scores = Object.values(lhr.categories).map((c) => {
      const score = Math.round(c.score * 100);
      failed ||= score < least;
      return `${c.title} ${score}`;
    });
    console.log(`${page.padEnd(45)} ${scores.join(' · ')}`);
    for (const c of Object.values(lhr.categories)) {
      for (const { id, weight } of c.auditRefs) {
        const audit = lhr.audits[id];
        if (weight > 0 && audit.score !== null && audit.score < 0.9) console.log(`    ${id}: ${audit.title} ${audit.displayValue ?? ''}`);
      }
    }
  }
} finally {
  await chrome.kill();
}
process.exitCode = failed ? 1 : 0;
