// Sends to the daemon what the reader changes, and shows the command that does the same.

import { html, type Markup } from '../html.ts';
import { elementById } from '../show.ts';

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
