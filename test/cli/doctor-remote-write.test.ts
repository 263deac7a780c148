// Tests what doctor says about receivers of remote write: what they answer, and what to do about it.

import { afterEach, beforeEach, expect, it } from 'vitest';
import type { DoctorContext } from '../../src/cli/doctor/account-session.ts';
import type { CheckResult } from '../../src/cli/doctor/check-result.ts';
import { checkRemoteWrite } from '../../src/cli/doctor/remote-write.ts';
import { settingsSchema } from '../../src/daemon/settings.ts';
import { RecordingReceiver, type Reply } from '../remote-write/recording-receiver.ts';

let receiver: RecordingReceiver;
beforeEach(async () => {
  receiver = await RecordingReceiver.start();
});
afterEach(() => receiver[Symbol.asyncDispose]());

const find = async (url = `${receiver.url}?token=s3cret`) => {
  const settings = settingsSchema.parse({
    remote_write: [{ name: 'engine', url }],
    accounts: [{ name: 'main', public_key: 'p', private_key: 'k' }],
  });
  const context = { settings, signal: new AbortController().signal, version: '1.2.3' };
  const findings: CheckResult[] = [];
  for await (const finding of checkRemoteWrite(context as DoctorContext)) findings.push(finding);
  return findings;
};

it.each<[Reply, string, RegExp, RegExp?]>([
  [{ status: 204 }, 'ok', /^takes a request without samples$/],
  [{ status: 400, text: 'no samples' }, 'ok', /refuses one without samples \(answered 400: "?no samples/],
  [{ status: 401 }, 'failed', /^answered 401/, /^Correct basic_auth, bearer_token/],
  [{ status: 404 }, 'failed', /^answered 404/, /--web.enable-remote-write-receiver/],
  [
    { status: 400, text: 'unsupported path requested' },
    'failed',
    /^answered 400/,
    /\/api\/v1\/push for Mimir/,
  ],
  [
    { status: 503, text: 'token s3cret' },
    'failed',
    /^answered 503: the answer is not shown because it quotes credentials$/,
    /reports an error/,
  ],
])('after the answer %o: %s', async (reply, status, found, advice) => {
  receiver.respond = () => reply;
  const [finding] = await find();
  expect(finding).toMatchObject({ status, subject: 'remote write, receiver engine' });
  expect(finding?.found).toMatch(found);
  expect(finding?.advice ?? '').toMatch(advice ?? /^$/);
  expect(receiver.requests.map(({ series }) => series)).toEqual([[]]);
});

it('says that nothing listens at the address', async () => {
  const [finding] = await find('http://127.0.0.1:1/api/v1/write');
  expect(finding).toMatchObject({ status: 'failed', found: 'connection failed: ECONNREFUSED' });
  expect(finding?.advice).toMatch(/^Check that the receiver runs/);
});
