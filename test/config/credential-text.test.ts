// Tests that user names and headers, which are sent with secrets or hold them, are cleaned as secrets are.

import { expect, test } from 'vitest';
import { z } from 'zod';
import { receiverOptions } from '../../src/alerts/receivers/options.ts';
import { remoteWriteOptions } from '../../src/daemon/remote-write/options.ts';
import { configErrorOf, loadText } from './support.ts';

const schema = z.object({ remote_write: remoteWriteOptions, receivers: receiverOptions });

/** Loads the text of the variable as a user name of both kinds, and as a header. */
const load = (text: string) => {
  const user = `basic_auth: {username: "$\{TEXT}", password: other}`;
  const yaml = `
remote_write: [{name: main, url: "https://192.0.2.1/", ${user}, headers: {X-Token: "$\{TEXT}"}}]
receivers: [{type: alertmanager, urls: ["https://192.0.2.1/"], ${user}}]
`;
  const { remote_write, receivers } = loadText(yaml, schema, { TEXT: text }).config;
  const [receiver] = receivers;
  const name = receiver?.type === 'alertmanager' && receiver.basic_auth?.username;
  return [remote_write[0]?.basic_auth?.username, name, remote_write[0]?.headers['X-Token']];
};

test.each(['Bearer canary', 'Bearer canary\n', 'Bearer canary\r\n'])('%j is without its newline', (text) => {
  expect(load(text)).toEqual(['Bearer canary', 'Bearer canary', 'Bearer canary']);
});

test.each([
  [' canary', 'a text with a blank or a line break at its beginning; remove it'],
  ['canary\n\n', 'a text with a blank or a line break at its end; remove it'],
  ['\ufeffcanary', 'a text with a byte order mark at its beginning; remove the mark'],
])('%j is a mistake', (text, mistake) => {
  const { mistakes } = configErrorOf(() => load(text));
  expect(mistakes.map(({ message }) => message)).toEqual([mistake, mistake, mistake]);
});

test('a header that is not valid is not shown', () => {
  const yaml =
    'remote_write: [{name: main, url: "https://192.0.2.1/", headers: {X-Token: "Bearer canar\u00fd"}}]';
  const { message } = configErrorOf(() => loadText(yaml, schema));
  expect(message).toMatch(/X-Token: not a valid value of a header; expected printable ASCII characters$/);
});
