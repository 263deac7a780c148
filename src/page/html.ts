// Markup with every value escaped, unless it is markup already.

/** Only `html` and `verbatim` make it. */
export class Markup {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  toString(): string {
    return this.#text;
  }
}

/** What a template takes; null shows nothing, a list shows its items one after another. */
export type Value = Markup | string | number | null | readonly Value[];

/** A template tag. Attributes have to be quoted. */
export const html = (texts: TemplateStringsArray, ...values: readonly Value[]): Markup =>
  new Markup(String.raw({ raw: texts }, ...values.map(escaped)));

/** Text of the program's own that goes into a page as it is. */
export const verbatim = (text: string): Markup => new Markup(text);

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escaped = (value: Value): string => {
  if (value === null) return '';
  if (value instanceof Markup) return value.toString();
  if (typeof value === 'object') return value.map(escaped).join('');
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character);
};
