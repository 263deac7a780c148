// Lets the reader silence alerts, say that they work on them, and end silences, and shows the command that does the same.

import { html, type Markup } from '../html.ts';
import { elementById, show } from '../show.ts';
import {
  quoted,
  type SilenceEnd,
  type SilenceScope,
  silenceCommand,
  workComment,
} from '../views/action-buttons.ts';

/** Actions are off where the server cannot trust the name by which the browser reached it. */
export const areActionsOff = (): boolean => document.body.dataset.actions === 'off';

export const OFF =
  'This page cannot change anything, because the daemon does not know the name in its address. Add the name to server.allowed_hosts, or use the command.';

/** Returns the answer, or what the daemon refuses. */
export const request = async <T extends object>(
  path: string,
  options: RequestInit = {},
): Promise<T | string> => {
  // The daemon refuses an empty body that is declared as JSON.
  const headers: HeadersInit = options.body ? { 'content-type': 'application/json' } : {};
  const response = await fetch(path, { ...options, headers, cache: 'no-store' }).catch(() => null);
  if (!response) return 'The daemon does not answer.';
  const body = (await response.json().catch(() => ({}))) as T & { readonly error?: string };
  return response.ok ? body : (body.error ?? `The daemon answered ${response.status}.`);
};

/** Returns the folded place of the command of the dialog `dialog`. */
export const commandFrame = (dialog: string): Markup =>
  html`<details id="${dialog}-shell"><summary>Command that does the same</summary><pre><code id="${dialog}-command"></code></pre>
<button type="button" id="${dialog}-copy">Copy</button></details>`;

/** Returns a function that shows the command. */
export const setUpCommand = (dialog: string): ((command: string, isOpen?: boolean) => void) => {
  const [code, copy] = [elementById(`${dialog}-command`), elementById(`${dialog}-copy`)];
  // Browsers have a clipboard only for pages of a trustworthy origin. The reader can select the command everywhere.
  copy.hidden = !navigator.clipboard;
  copy.addEventListener('click', () => void navigator.clipboard.writeText(code.textContent ?? ''));
  return (command, isOpen) => {
    code.textContent = command;
    if (isOpen !== undefined) elementById<HTMLDetailsElement>(`${dialog}-shell`).open = isOpen;
  };
};

const NAME_KEY = 'proxywatch-name';
const DURATIONS = { '1h': '1 hour', '4h': '4 hours', '1d': '1 day', '7d': '7 days', '30d': '30 days' };
const DEFAULT_DURATION = '4h';

const NOTES = {
  silence:
    'The daemon sends no notifications about these alerts until then, also if they end and fire again.',
  work: 'The daemon repeats no notifications about these alerts until they are resolved, at most for 7 days. It notifies of alerts that begin later, also if these fire again.',
};

/** The dialog in which the reader says how long and why. The server's page has an empty one. */
const dialogContent = html`<form method="dialog" id="act-form"><h2 id="act-title"></h2><p id="act-about"></p>
<p><label>Your name <input id="act-name" required maxlength="80" autocomplete="name"></label></p>
<p><label>Reason <input id="act-reason" maxlength="300" autocomplete="off"></label></p>
<p id="act-length"><label>For <select id="act-for">${Object.entries(DURATIONS).map(([value, text]) =>
  value === DEFAULT_DURATION
    ? html`<option value="${value}" selected>${text}</option>`
    : html`<option value="${value}">${text}</option>`,
)}</select></label></p>
<p class="quiet" id="act-note"></p>
<p><button type="submit" id="act-send"></button> <button type="button" id="act-cancel">Cancel</button></p>
<p id="act-error" role="alert"></p>
${commandFrame('act')}</form>`;

/** `onChange` is called when something was changed. Must be called once. */
export const setUpActions = (onChange: () => void): void => {
  const dialog = elementById<HTMLDialogElement>('act');
  show(dialog, dialogContent);
  const control = (id: string) => elementById<HTMLInputElement>(`act-${id}`);
  let scopes: readonly SilenceScope[] = [];
  let isWork = false;
  const comment = (): string => {
    const [name, reason] = [control('name').value.trim(), control('reason').value.trim()];
    return isWork ? workComment(name, reason) : `${name}: ${reason}`;
  };
  const end = (): SilenceEnd => (isWork ? { until_resolved: true } : { for: control('for').value });
  const showCommandOf = setUpCommand('act');
  const showCommand = (isOpen?: boolean): void => {
    const commands = scopes.map((scope) => silenceCommand(scope, end(), comment(), pageUrl()));
    showCommandOf(commands.join('\n'), isOpen);
  };
  const open = ({ dataset: { kind, about = '', scopes: json = '[]' } }: HTMLElement): void => {
    scopes = JSON.parse(json) as SilenceScope[];
    isWork = kind === 'work';
    elementById('act-title').textContent = isWork ? 'I am on it' : 'Silence';
    elementById('act-about').textContent = about;
    control('send').textContent = isWork ? 'I am on it' : 'Silence';
    elementById('act-length').hidden = isWork;
    elementById('act-note').textContent = NOTES[isWork ? 'work' : 'silence'];
    control('reason').required = !isWork;
    control('reason').value = '';
    control('name').value = localStorage.getItem(NAME_KEY) ?? '';
    const isOff = areActionsOff();
    control('send').disabled = isOff;
    elementById('act-error').textContent = isOff ? OFF : '';
    showCommand(isOff);
    dialog.showModal();
    control(control('name').value === '' ? 'name' : 'reason').focus();
  };
  const failed = (error: string): void => {
    elementById('act-error').textContent = error;
    showCommand(true);
  };
  const send = async (): Promise<void> => {
    localStorage.setItem(NAME_KEY, control('name').value.trim());
    const sent = scopes;
    const { refused, error, unsilenced } = await addSilences(sent, { ...end(), comment: comment() });
    elementById('act-result').textContent =
      unsilenced.size === 0
        ? ''
        : `${[...unsilenced].join(', ')} has silences of its own, and gets the alerts.`;
    const { length: done } = sent.filter((scope) => !refused.includes(scope));
    if (done > 0) onChange();
    // The reader may have opened the dialog about something else meanwhile.
    if (scopes !== sent) return;
    scopes = refused;
    if (error === undefined) return dialog.close();
    failed(done === 0 ? error : `${done} of ${sent.length} are silenced. The others: ${error}`);
  };
  const endNow = async (ids: readonly string[]): Promise<void> => {
    if (areActionsOff()) return showEndCommands(ids);
    const answers = ids.map((id) =>
      request(`api/v1/silences/${encodeURIComponent(id)}`, { method: 'DELETE' }),
    );
    const errors = (await Promise.all(answers)).filter((answer) => typeof answer === 'string');
    elementById('act-result').textContent = errors[0] ?? '';
    onChange();
  };
  document.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest<HTMLElement>('.act');
    if (button?.dataset.end !== undefined) void endNow(button.dataset.end.split(' '));
    else if (button?.dataset.scopes) open(button);
  });
  elementById('act-form').addEventListener('submit', (event) => {
    event.preventDefault();
    void send();
  });
  elementById('act-form').addEventListener('input', () => showCommand());
  elementById('act-cancel').addEventListener('click', () => dialog.close());
};

interface Accepted {
  readonly unsilenced_receivers?: readonly string[];
}

/**
 * Adds a silence for each scope. One that is refused, such as one whose alert has just ended, does not keep the others from
 * being silenced. Returns the refused ones with the first error, and the receivers that have silences of their own.
 */
const addSilences = async (
  scopes: readonly SilenceScope[],
  rest: SilenceEnd & { readonly comment: string },
) => {
  const [refused, errors, unsilenced] = [[] as SilenceScope[], [] as string[], new Set<string>()];
  for (const scope of scopes) {
    const body = JSON.stringify({ ...scope, ...rest });
    const answer = await request<Accepted>('api/v1/silences', { method: 'POST', body });
    if (typeof answer === 'string') {
      errors.push(answer);
      refused.push(scope);
    } else for (const name of answer.unsilenced_receivers ?? []) unsilenced.add(name);
  }
  return { refused, error: errors[0], unsilenced };
};

const pageUrl = (): string => new URL('./', location.href).href;

const showEndCommands = (ids: readonly string[]): void => {
  const result = elementById('act-result');
  const commands = ids.map((id) => `proxywatch silence remove ${id} --url ${quoted(pageUrl())}`);
  show(result, html`${OFF}<br><code class="lines">${commands.join('\n')}</code>`);
  result.scrollIntoView();
};
