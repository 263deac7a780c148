// The rendered labels of the last sample: several families in a row mostly have the same.

import { labelText } from './text-format.ts';

/** What follows a family's name: all labels in braces, and the same open for a bucket's `le`. */
export interface LabelText {
  readonly closed: string;
  readonly open: string;
}

export class LabelBlock {
  readonly #account: string;
  #names: readonly string[] = [];
  #values: readonly string[] = [];
  #text: LabelText;

  /** The label `account` comes first; an empty one is none. */
  constructor(account: string) {
    this.#account = account === '' ? '' : labelText('account', account);
    this.#text = this.#render();
  }

  /** Compares values, not the identity of `labels`, so that an object may be filled anew for each sample. */
  textOf(names: readonly string[], labels: Readonly<Record<string, string>>): LabelText {
    if (!this.#holds(names, labels)) {
      this.#names = names;
      this.#values = names.map((name) => labels[name] ?? '');
      this.#text = this.#render();
    }
    return this.#text;
  }

  #holds(names: readonly string[], labels: Readonly<Record<string, string>>): boolean {
    if (names.length !== this.#names.length) return false;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      if (name !== this.#names[index] || labels[name] !== this.#values[index]) return false;
    }
    return true;
  }

  #render(): LabelText {
    let list = this.#account;
    for (const [index, name] of this.#names.entries()) {
      list += `${list === '' ? '' : ','}${labelText(name, this.#values[index] ?? '')}`;
    }
    return list === '' ? { closed: '', open: '{' } : { closed: `{${list}}`, open: `{${list},` };
  }
}
