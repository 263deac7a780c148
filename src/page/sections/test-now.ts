// Lets the reader test a proxy, a target or a tester now, with the price before and the results as they come.

import type { RequestedTests, TestNow } from '../answers.ts';
import { html } from '../html.ts';
import { elementById, show } from '../show.ts';
import { quoted, TESTED_LABELS, type TestableSubject } from '../views/action-buttons.ts';
import { plansView, progressView, resultTable } from '../views/test-now.ts';
import { areActionsOff, commandFrame, OFF, request, setUpCommand } from './actions.ts';

/** How often the page asks for results while tests are in progress. */
const POLL_MS = 1_000;

const RESTARTED = 'The daemon was restarted during the tests, so their results are lost.';
const REPLACED = 'Other tests have begun since these ended, so their results are not shown.';

/** The dialog. The server's page has an empty one. */
const dialogContent = html`<form method="dialog" id="test-form"><h2 id="test-title"></h2><div id="test-plans"></div>
<p><button type="submit" id="test-send">Test now</button> <button type="button" id="test-close">Close</button></p>
<p id="test-error" role="alert"></p>
<div id="test-progress" role="status"></div><div id="test-results"></div>
${commandFrame('test')}</form>`;

/** `onResults` is called when tests have ended. Must be called once. */
export const setUpTestNow = (account: string, onResults: () => void): void => {
  const dialog = elementById<HTMLDialogElement>('test');
  show(dialog, dialogContent);
  const path = `api/v1/accounts/${encodeURIComponent(account)}/test-now`;
  const send = elementById<HTMLButtonElement>('test-send');
  const showCommand = setUpCommand('test');
  let subject: TestableSubject = { kind: 'proxy', id: '' };
  /** Rises when the dialog opens, so that an answer for an earlier subject is dropped. */
  let opened = 0;
  const body = (): Record<string, string> => ({ [labelOf(subject)]: subject.id });
  const fail = (error: string): void => {
    const element = elementById('test-error');
    // Screen readers read out what is written again.
    if (element.textContent !== error) element.textContent = error;
  };
  const draw = (last: RequestedTests | null, nextRoundAt: string | null = null): void => {
    show(elementById('test-progress'), last ? progressView(last, nextRoundAt, Date.now()) : html``);
    show(elementById('test-results'), html`${last && resultTable(account, last)}`);
  };
  const isOfSubject = ({ kind, id }: RequestedTests): boolean => kind === subject.kind && id === subject.id;
  const loadPlans = async (): Promise<void> => {
    const [turn, answer] = [opened, await request<TestNow>(`${path}?${new URLSearchParams(body())}`)];
    if (turn !== opened) return;
    if (typeof answer === 'string') {
      show(elementById('test-plans'), html``);
      return fail(answer);
    }
    const { plans, last, next_round_at: nextRoundAt } = answer;
    show(elementById('test-plans'), plansView(plans, subject.kind));
    const isRunning = last?.finished_at === null;
    send.disabled = areActionsOff() || isRunning || plans.every(({ refusal }) => refusal !== null);
    if (last && isOfSubject(last)) draw(last, nextRoundAt);
    if (isRunning) await follow(last);
  };
  /** Shows these tests until they end, or the dialog closes. */
  const follow = async (tests: RequestedTests): Promise<void> => {
    const turn = opened;
    const isOther = !isOfSubject(tests);
    const note = isOther ? `Tests of the ${tests.kind} ${tests.id} are in progress.` : '';
    for (;;) {
      const answer = await request<TestNow>(path);
      if (turn !== opened || !dialog.open) return;
      const last = typeof answer === 'string' ? tests : answer.last;
      fail(typeof answer === 'string' ? `${answer} (the page asks again)` : note);
      if (!last || !isSame(last, tests)) {
        fail(isOther ? '' : last ? REPLACED : RESTARTED);
        break;
      }
      if (typeof answer !== 'string' && !isOther) draw(last, answer.next_round_at);
      if (last.finished_at !== null) {
        fail('');
        break;
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    }
    onResults();
    await loadPlans();
  };
  const start = async (): Promise<void> => {
    const turn = opened;
    send.disabled = true;
    fail('');
    const answer = await request<RequestedTests>(path, { method: 'POST', body: JSON.stringify(body()) });
    if (turn !== opened) return;
    if (typeof answer === 'string') {
      // What refuses them now may allow them later.
      send.disabled = false;
      return fail(answer);
    }
    draw(answer);
    await follow(answer);
  };
  const open = (kind: TestableSubject['kind'], id: string): void => {
    subject = { kind, id };
    opened += 1;
    elementById('test-title').textContent = `Test the ${kind} ${id} now`;
    show(elementById('test-plans'), html`<p class="quiet">…</p>`);
    draw(null);
    fail(areActionsOff() ? OFF : '');
    send.disabled = true;
    showCommand(testCommand(body(), new URL(path, new URL('./', location.href)).href), areActionsOff());
    dialog.showModal();
    elementById('test-close').focus();
    void loadPlans().then(() => {
      if (!send.disabled) send.focus();
    });
  };
  document.addEventListener('click', ({ target }) => {
    const { test, id } = (target as Element).closest<HTMLElement>('.act')?.dataset ?? {};
    if (test && id) open(test as TestableSubject['kind'], id);
  });
  elementById('test-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void start();
  });
  elementById('test-close').addEventListener('click', () => dialog.close());
};

const isSame = (one: RequestedTests, other: RequestedTests): boolean =>
  one.kind === other.kind && one.id === other.id && one.requested_at === other.requested_at;

const labelOf = ({ kind }: TestableSubject): string =>
  Object.entries(TESTED_LABELS).find(([, each]) => each === kind)?.[0] ?? '';

const testCommand = (body: object, url: string): string =>
  `curl -H 'Content-Type: application/json' -d ${quoted(JSON.stringify(body))} ${quoted(url)}`;
