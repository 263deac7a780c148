// Recognises error codes that mean the customer's own settings: the user name, the password, or the options in the user name.

import { causeOfCode } from '../../prober/causes.ts';

export type OwnSetting = 'credentials' | 'options';

/** Words for a refused login in codes of the provider's testers. Their list is not published. A target can answer 401. */
const LOGIN_WORDS = /authentication|proxy_?auth|credential|password|login|(^|\D)407(\D|$)/i;

/**
 * Reads the code of a probe, such as `tunnel_credentials`, or that of a provider's tester: a word, or a number with the
 * meaning of the codes that proxies answer with. Null if it is neither.
 */
export const ownSettingOf = (errorCode: string | null): OwnSetting | null => {
  if (errorCode === null) return null;
  const cause = causeOfCode(errorCode) ?? errorCode.slice(errorCode.indexOf('_') + 1);
  if (cause === 'credentials' || cause === 'options') return cause;
  return LOGIN_WORDS.test(errorCode) ? 'credentials' : null;
};

/** Names the setting in a sentence. */
export const settingWords = (errorCode: string): string =>
  ownSettingOf(errorCode) === 'options' ? 'the options in its user name' : 'its user name and password';

/** Whether most of the failures are of the customer's own settings. */
export const areOwnSettings = (failing: readonly { readonly errorCode: string | null }[]): boolean =>
  2 * failing.filter(({ errorCode }) => ownSettingOf(errorCode) !== null).length > failing.length;
