// Finds the secrets of a request in a text, in any encoding and case that a server may use.

/** A shorter secret counts only as a separate word, because its letters occur in every text. */
const SHORT_LENGTH = 4;
/** How many layers of encoding are decoded. A password in a URL in JSON has three. */
const MAX_ENCODINGS = 3;

/** Returns all texts that reveal the secrets: each as a whole, its users and passwords, and parts of a URL after its host. */
export const secretVariants = (secrets: readonly string[]): ReadonlySet<string> => {
  const parts = secrets.flatMap(secretPartsOf).flatMap(decodedFormsOf);
  return new Set(parts.map(normalized).filter((part) => part !== ''));
};

/** Whether the text contains any of the variants as sent, encoded, or in another case. */
export const containsSecret = (text: string, variants: ReadonlySet<string>): boolean => {
  const forms = decodedFormsOf(text).map(normalized);
  const binary = forms.length === 0 ? [] : base64In(text).flatMap(decodedFormsOf).map(normalized);
  return [...variants].some((variant) =>
    variant.length < SHORT_LENGTH
      ? forms.some((form) => hasWord(form, variant))
      : [...forms, ...binary].some((form) => form.includes(variant)),
  );
};

/** Splits a secret: `host:port:user:password`, a URL with user and password, the URL of a test, or a key. */
const secretPartsOf = (secret: string): string[] => {
  const [, user = '', password = ''] = /^(?:\[[^\]]*\]|[^:/]*):\d+:([^:]*):(.*)$/s.exec(secret) ?? [];
  const [, rest = ''] = /^[a-z][a-z\d+.-]*:\/\/(.*)$/is.exec(secret) ?? [];
  return [secret, ...credentialsOf(user, password), ...(rest === '' ? [] : urlPartsOf(rest))];
};

const urlPartsOf = (rest: string): string[] => {
  // The credentials end at the last @, because a password may contain @ and slashes.
  const [, user = '', password = ''] = /^([^:]*):(.*)@/s.exec(rest) ?? [];
  const [path = '', ...others] = rest.replace(/^[^/?#]*/, '').split(/[?#&]/);
  const values = others.flatMap((pair) => [pair, pair.slice(pair.indexOf('=') + 1)]);
  // Shorter parts of a URL, such as a word or a number, occur in too many texts.
  const parts = [...path.split('/'), ...values];
  return [...credentialsOf(user, password), ...parts.filter(({ length }) => length >= SHORT_LENGTH)];
};

const credentialsOf = (user: string, password: string): string[] => {
  const decoded = [decodedPercent(user), decodedPercent(password)] as const;
  const pairs = [[user, password], decoded].map(([name, word]) => `${name}:${word}`);
  return user === '' && password === ''
    ? []
    : [user, password, ...pairs.flatMap((pair) => [pair, ...inBase64(pair)])];
};

/** Encodes the text without padding, because the padding depends on the text that follows. */
const inBase64 = (text: string): string[] => {
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '');
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
};

const base64In = (text: string): string[] =>
  decodedFormsOf(text)
    .flatMap((form) => form.match(/[\w+/-]{6,}={0,2}/g) ?? [])
    .map((token) => Buffer.from(token, 'base64').toString('utf8'));

/** Returns the text, and the text with percent-encoding and JSON escapes decoded in any combination. */
const decodedFormsOf = (text: string): string[] => {
  let forms = new Set([text]);
  for (let depth = 0; depth < MAX_ENCODINGS; depth += 1)
    forms = new Set([...forms].flatMap((form) => [form, decodedPercent(form), unescapedJson(form)]));
  return [...forms];
};

/** Leaves text without percent-encoding unchanged. */
const decodedPercent = (text: string): string =>
  text.replaceAll(/(?:%[\da-f]{2})+/gi, (encoded) => {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return Buffer.from(encoded.replaceAll('%', ''), 'hex').toString('latin1');
    }
  });

const ESCAPES: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t' };

const unescapedJson = (text: string): string =>
  text.replaceAll(/\\(?:u([\da-f]{4})|(.))/gis, (_, code?: string, letter = '') =>
    code === undefined ? (ESCAPES[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Folds case and white space, because the provider may change both. */
const normalized = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[\p{C}\s]+/gu, ' ')
    .trim();

const hasWord = (text: string, word: string): boolean => {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1))
    if (!isLetter(text.charAt(at - 1)) && !isLetter(text.charAt(at + word.length))) return true;
  return false;
};

const isLetter = (character: string): boolean => /[\p{L}\p{N}]/u.test(character);
