// Finds the secrets of a request in a text, in whatever form the provider writes them.

/** A shorter secret counts only as a word of its own: its letters are in every text. */
const SHORT = 4;
/** How many layers of encoding are decoded: a password in a URL in JSON has three. */
const DEPTH = 3;

/** All texts that reveal the secrets: each whole, the users and passwords in it, and what follows the host of a URL. */
export const needlesOf = (secrets: readonly string[]): ReadonlySet<string> => {
  const parts = secrets.flatMap(partsOf).flatMap(formsOf);
  return new Set(parts.map(folded).filter((part) => part !== ''));
};

/** Whether any of them occurs in the text: as sent, encoded, or in another case. */
export const occursIn = (text: string, needles: ReadonlySet<string>): boolean => {
  const forms = formsOf(text).map(folded);
  const binary = forms.length === 0 ? [] : base64In(text).flatMap(formsOf).map(folded);
  return [...needles].some((needle) =>
    needle.length < SHORT
      ? forms.some((form) => hasWord(form, needle))
      : [...forms, ...binary].some((form) => form.includes(needle)),
  );
};

/** Of `host:port:user:password`, of a URL with user and password, of the URL of a test, or of a key. */
const partsOf = (secret: string): string[] => {
  const [, user = '', password = ''] = /^(?:\[[^\]]*\]|[^:/]*):\d+:([^:]*):(.*)$/s.exec(secret) ?? [];
  const [, rest = ''] = /^[a-z][a-z\d+.-]*:\/\/(.*)$/is.exec(secret) ?? [];
  return [secret, ...credentialsOf(user, password), ...(rest === '' ? [] : partsOfUrl(rest))];
};

const partsOfUrl = (rest: string): string[] => {
  // The last @ ends the credentials, so that a password may hold one, and a slash as well.
  const [, user = '', password = ''] = /^([^:]*):(.*)@/s.exec(rest) ?? [];
  const [path = '', ...others] = rest.replace(/^[^/?#]*/, '').split(/[?#&]/);
  const values = others.flatMap((pair) => [pair, pair.slice(pair.indexOf('=') + 1)]);
  return [...credentialsOf(user, password), ...[...path.split('/'), ...values].filter(isTelling)];
};

const credentialsOf = (user: string, password: string): string[] => {
  const decoded = [decodedPercent(user), decodedPercent(password)] as const;
  const pairs = [[user, password], decoded].map(([name, word]) => `${name}:${word}`);
  return user === '' && password === ''
    ? []
    : [user, password, ...pairs.flatMap((pair) => [pair, ...inBase64(pair)])];
};

/** Shorter parts of a URL, a word or a number, occur in too many texts. */
const isTelling = (part: string): boolean => part.length >= SHORT;

/** Without the last characters, which depend on what follows. */
const inBase64 = (text: string): string[] => {
  const base64 = Buffer.from(text).toString('base64').replace(/=+$/, '');
  return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
};

const base64In = (text: string): string[] =>
  formsOf(text)
    .flatMap((form) => form.match(/[\w+/-]{6,}={0,2}/g) ?? [])
    .map((token) => Buffer.from(token, 'base64').toString('utf8'));

/** The text, and the text with percent-encoding and JSON escapes decoded, in any mix. */
const formsOf = (text: string): string[] => {
  let forms = new Set([text]);
  for (let depth = 0; depth < DEPTH; depth += 1)
    forms = new Set([...forms].flatMap((form) => [form, decodedPercent(form), unescapedJson(form)]));
  return [...forms];
};

/** Text without an encoding stays as it is. */
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

/** A text may have been put on one line, and in another case. */
const folded = (text: string): string =>
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
