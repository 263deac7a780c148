// Collects each sentence about faults that the daemon prints during a day of the demo, once, for a person to read.

import { withTexts } from '../../src/daemon/alert-view.ts';
import type { DemoMinute } from './demo-day.ts';

const TARGETS = ['shop', 'https://www.example.com/'];

export class DemoSentences {
  readonly #seen = new Set<string>();

  /** Without times, names and numbers, all lines in order. */
  get text(): string {
    return `${[...this.#seen].sort().join('\n')}\n`;
  }

  /** `verdicts` are those about proxies. Throws if the daemon does not know a target or a tester. */
  async collect(
    { app, view, tests, here, account }: DemoMinute,
    verdicts: readonly { readonly verdict: string; readonly text: string }[],
  ): Promise<void> {
    for (const { kind, reason } of tests) this.#add(`fault ${kind} of the tests`, reason);
    for (const { kind, reason } of here) this.#add(`fault ${kind} of the probes`, reason);
    for (const { verdict, text } of verdicts) this.#add(`verdict ${verdict} of a proxy`, text);
    for (const id of TARGETS) this.#addVerdict('target', await view.tests.target('demo', id));
    for (const id of account.testers) this.#addVerdict('tester', await view.tests.tester('demo', id));
    for (const alert of app.alerting.active)
      this.#add(`alert ${alert.alert}`, withTexts(alert, app.alerting).summary);
  }

  #addVerdict(
    of: string,
    details: { readonly verdict: { verdict: string; text: string } } | undefined,
  ): void {
    if (details) this.#add(`verdict ${details.verdict.verdict} of a ${of}`, details.verdict.text);
    else throw new Error(`the demo has no such ${of}`);
  }

  #add(where: string, sentence: string): void {
    this.#seen.add(`${where}: ${withoutFigures(sentence)}`);
  }
}

/** One is kept, because the words after it differ. */
const withoutFigures = (sentence: string): string =>
  sentence
    .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d UTC/g, 'TIME')
    .replaceAll(/\b(datacenter|isp|residential|mobile)-\d+/g, 'PROXY')
    .replaceAll(/(?<![-\w])\d+(?![-\w])/g, (figure) => (figure === '1' ? '1' : 'N'));
