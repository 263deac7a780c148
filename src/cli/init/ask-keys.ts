// Takes the keys of an account from the environment, or asks for them on a terminal, which does not show the private key.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import type { CommandContext } from '../context.ts';

export interface Keys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** The variables that the README advises. */
export const PUBLIC_KEY = 'PROXY_PUBLIC_KEY';
export const PRIVATE_KEY = 'PROXY_PRIVATE_KEY';

/** Returns undefined if a variable is missing or empty. */
export const keysIn = ({ env }: Pick<CommandContext, 'env'>): Keys | undefined => {
  const [publicKey, privateKey] = [env[PUBLIC_KEY], env[PRIVATE_KEY]];
  return publicKey && privateKey ? { publicKey, privateKey } : undefined;
};

export const isTerminal = (stream: object): boolean => 'isTTY' in stream && stream.isTTY === true;

/**
 * Yields keys each time that they are wanted again. Ends if the input ends, or if the operator presses Ctrl+C, which a
 * terminal does not report as a signal while it is read key by key.
 */
export async function* askKeys({
  stdin,
  stderr,
  signal,
}: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>): AsyncGenerator<Keys, void, undefined> {
  let isShown = false;
  const echo = new Writable({
    write: (text, _encoding, done) => {
      if (isShown) stderr.write(text);
      done();
    },
  });
  using lines = createInterface({ input: stdin, output: echo, terminal: true, signal });
  // Somebody may paste both keys at once, so only the line of a question that shows its answer is shown.
  lines.on('line', () => {
    if (isShown) stderr.write('\n');
    isShown = false;
  });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string, isPublic: boolean): Promise<string | undefined> => {
    for (;;) {
      stderr.write(question);
      isShown = isPublic;
      const { value, done } = await answers.next();
      if (!isPublic || done) stderr.write('\n');
      if (done) return undefined;
      if (value.trim() !== '') return value.trim();
    }
  };
  for (;;) {
    const publicKey = await ask('Public key: ', true);
    const privateKey = publicKey && (await ask('Private key (not shown): ', false));
    if (!publicKey || !privateKey) return;
    yield { publicKey, privateKey };
  }
}
