// Renders the labels of samples and caches the last result, because consecutive samples mostly have the same labels.

import { labelText } from './text-format.ts';

/** The text after a family's name: `closed` has all labels in braces, and `open` lacks the end so that `le` can follow. */
export interface RenderedLabels {
  readonly closed: string;
  readonly open: string;
}

export class LabelRenderer {
  readonly #account: string;
  #names: readonly string[] = [];
  #values: readonly string[] = [];
  #text: RenderedLabels;

  /** The label `account` comes first. An empty account adds no label. */
  constructor(account: string) {
    this.#account = account === '' ? '' : labelText('account', account);
    this.#text = this.#renderText();
  }

  /** Compares the values of the labels, not the object's identity, so that callers can reuse one object for all samples. */
  render(names: readonly string[], labels: Readonly<Record<string, string>>): RenderedLabels {
    if (!this.#isCached(names, labels)) {
      this.#names = names;
      this.#values = names.map((name) => labels[name] ?? '');
      this.#text = this.#renderText();
    }
    return this.#text;
  }

  #isCached(names: readonly string[], labels: Readonly<Record<string, string>>): boolean {
    if (names.length !== this.#names.length) return false;
    for (let index = 0; index < names.length; index += 1) {
      const name = names[index] ?? '';
      if (name !== this.#names[index] || labels[name] !== this.#values[index]) return false;
    }
    return true;
  }

  #renderText(): RenderedLabels {
    let list = this.#account;
    for (const [index, name] of this.#names.entries()) {
      list += `${list === '' ? '' : ','}${labelText(name, this.#values[index] ?? '')}`;
    }
    return list === '' ? { closed: '', open: '{' } : { closed: `{${list}}`, open: `{${list},` };
  }
}
