// Recognises error codes that mean the customer's own settings, a used-up quota, or a policy of the provider.

import { causeOfCode } from '../../prober/causes.ts';
import { CAUSES, type Cause, PHASES } from '../../prober/probe.ts';

export type OwnSetting = 'credentials' | 'options';

const PROBE_CODE = new RegExp(`^(?:${PHASES.join('|')})_(.+)$`);

/** Words for a refused login in codes of the provider's testers. Their list is not published. */
const LOGIN_WORDS = /authentication|proxy_?auth|credential|password|login(?!_page)|(^|\D)407(\D|$)/i;

/** Reads the code of a probe (`tunnel_credentials`), or a tester's number as proxies answer it. Undefined for other codes. */
export const causeOfErrorCode = (code: string | null): Cause | undefined => {
  if (code === null) return undefined;
  const word = PROBE_CODE.exec(code)?.[1];
  return (CAUSES as readonly string[]).includes(word ?? '') ? (word as Cause) : causeOfCode(code);
};

/** Null if the code means none of the own settings. */
export const ownSettingOf = (errorCode: string | null): OwnSetting | null => {
  const cause = causeOfErrorCode(errorCode);
  if (cause === 'credentials' || cause === 'options') return cause;
  return errorCode !== null && LOGIN_WORDS.test(errorCode) ? 'credentials' : null;
};

export const settingWords = (errorCode: string): string =>
  ownSettingOf(errorCode) === 'options' ? 'the options in its user name' : 'its user name and password';

/** The end of a sentence about settings that neither the testers nor this machine can use. */
export const REFUSED_EVERYWHERE = 'are refused everywhere, from here and from the provider’s testers';

interface Failure {
  readonly errorSource: string | null;
  readonly errorCode: string | null;
}

/** Whether most of the failures are of the customer's own settings. A target can demand a login of its own. */
export const areOwnSettings = (failing: readonly Failure[]): boolean =>
  2 * failing.filter(isOwnSetting).length > failing.length;

const isOwnSetting = ({ errorSource, errorCode }: Failure): boolean =>
  errorSource !== 'target' && ownSettingOf(errorCode) !== null;

export const isQuota = ({ errorCode }: Pick<Failure, 'errorCode'>): boolean =>
  causeOfErrorCode(errorCode) === 'quota';

export const isPolicy = ({ errorCode }: Pick<Failure, 'errorCode'>): boolean =>
  causeOfErrorCode(errorCode) === 'policy';
