// Reads the steps of the guide to a collector: the files that it creates, the changes of files, and the commands.

import { textOf } from '../docs/documents.ts';

export const GUIDE = 'docs/contributing/add-a-collector.md';

export type Step = { readonly title: string } & (
  | { readonly kind: 'create'; readonly path: string; readonly text: string }
  | { readonly kind: 'change'; readonly paths: readonly string[]; readonly diff: string }
  | { readonly kind: 'run'; readonly command: string; readonly expected: string }
);

/** A block, with the path of a file that it creates before it, and with what its command prints after it. */
const BLOCK = /(?:^Create `([^`\n]+)`:\n\n)?^```(\w+)\n([\s\S]*?)^```$(?:\n\nYou should see `([^`\n]+)`)?/gm;

export const readSteps = (): Step[] => {
  const guide = textOf(GUIDE);
  return [...guide.matchAll(BLOCK)].flatMap((match) => {
    const { 1: path, 2: language = '', 3: text = '', 4: expected = '', index } = match;
    const line = guide.slice(0, index).split('\n').length;
    if (path !== undefined) return { title: `line ${line}: create ${path}`, kind: 'create', path, text };
    return stepsOf(language, text, expected, line);
  });
};

const stepsOf = (language: string, text: string, expected: string, line: number): Step[] => {
  switch (language) {
    case 'diff': {
      const paths = [...text.matchAll(/^--- a\/(.+)$/gm)].map(([, path = '']) => path);
      return [{ title: `line ${line}: change ${paths.join(', ')}`, kind: 'change', paths, diff: text }];
    }
    case 'sh': {
      const command = text.trim();
      return [{ title: `line ${line}: ${command}`, kind: 'run', command, expected }];
    }
    // The sample of an answer is only to be read.
    case 'json':
      return [];
    default:
      throw new Error(`${GUIDE}:${line}: a ${language} block without "Create" before it`);
  }
};
