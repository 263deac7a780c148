// Renders the labels of samples and caches the last result, because consecutive samples mostly have the same labels.

import { escapeLabelValue, labelText } from './text-format.ts';

export class LabelRenderer {
  readonly #account: string;
  #names: readonly string[] = [];
  /** The values of `#names`; later elements are left over from longer lists. */
  readonly #values: string[] = [];
  /** The texts between the values of `#names`. */
  #prefixes: readonly string[] = [];
  #text: string;

  /** The label `account` comes first. An empty account adds no label. */
  constructor(account: string) {
    this.#account = account === '' ? '' : labelText('account', account);
    this.#text = this.#renderText();
  }

  /**
   * Returns the labels in braces, or an empty text if there are none. It compares the values of the labels, not the
   * object's identity, so that callers can reuse one object for all samples.
   */
  render(names: readonly string[], labels: Readonly<Record<string, string>>): string {
    if (!this.#isCached(names, labels)) {
      this.#useNames(names);
      for (let index = 0; index < names.length; index += 1)
        this.#values[index] = labels[names[index] ?? ''] ?? '';
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

  #useNames(names: readonly string[]): void {
    if (names === this.#names) return;
    this.#names = names;
    const start = this.#account === '' ? '{' : `{${this.#account},`;
    this.#prefixes = names.map((name, index) => `${index === 0 ? start : '",'}${name}="`);
  }

  /** Joins few texts, because 100,000 users have 300,000 lists of labels. */
  #renderText(): string {
    const { length } = this.#names;
    if (length === 0) return this.#account === '' ? '' : `{${this.#account}}`;
    let list = '';
    for (let index = 0; index < length; index += 1)
      list += this.#prefixes[index] + escapeLabelValue(this.#values[index] ?? '');
    return `${list}"}`;
  }
}
