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

/** Returns undefined if the input ends, or at Ctrl+C, which is no signal while a terminal is read key by key. */
export const askKeys = async ({
  stdin,
  stderr,
  signal,
}: Pick<CommandContext, 'stdin' | 'stderr' | 'signal'>): Promise<Keys | undefined> => {
  if (stdin.readableEnded) return undefined;
  let isShown = false;
  const echo = new Writable({
    write: (text, _encoding, done) => {
      if (isShown) stderr.write(text);
      done();
    },
  });
  // An interface remembers lines, and also text that was deleted, which the operator can paste with Ctrl+Y. So the private
  // key is the last answer of each interface, and no later question can show it.
  using lines = createInterface({ input: stdin, output: echo, terminal: true, historySize: 0, signal });
  // Somebody may paste both keys at once, so only the line of a question that shows its answer is shown.
  lines.on('line', () => {
    isShown = false;
  });
  const answers = lines[Symbol.asyncIterator]();
  const ask = async (question: string, isPublic: boolean): Promise<string | undefined> => {
    // When the operator edits the line, readline writes it again after its prompt.
    lines.setPrompt(question);
    for (;;) {
      isShown = isPublic;
      stderr.write(question);
      const { value, done } = await answers.next();
      if (!isPublic || done) stderr.write('\n');
      if (done) return undefined;
      if (value.trim() !== '') return value.trim();
    }
  };
  const publicKey = await ask('Public key: ', true);
  const privateKey = publicKey && (await ask('Private key (not shown): ', false));
  return publicKey && privateKey ? { publicKey, privateKey } : undefined;
};
