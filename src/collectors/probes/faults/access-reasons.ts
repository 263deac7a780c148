// Describes in words why a proxy cannot be used from here.

import { minuteText } from '../../../lib/time.ts';
import type { Cause } from '../../../prober/probe.ts';
import { areOwnSettings, REFUSED_EVERYWHERE, settingWords } from '../../faults/own-setting.ts';
import { commonest } from '../../faults/reasons.ts';
import type { EvidenceCell } from '../evidence.ts';
import { causeOfCell } from './outcomes.ts';
import type { View } from './tester-view.ts';

const ANSWERS_OTHERWISE = 'the target does not answer as expected';

const WORDS: Readonly<Partial<Record<Cause, string>>> = {
  credentials:
    'the proxy refuses the user name and password, or the address of this machine is not authorized',
  options: 'the provider does not accept the options in the user name of the proxy',
  dns: 'this machine cannot resolve the name of the proxy',
  refused: 'the proxy refuses the connection from here',
  unreachable: 'this machine has no route to the proxy',
  no_node: 'the provider has no node for the options of the proxy',
  provider: 'the provider reports a fault of its own for requests from here',
  protocol: 'the answer of the proxy is not of its protocol',
  proxy_error: 'the proxy refuses the request',
  proxy_or_target: 'the proxy does not open the connection, because of itself or of the target',
  target_name: 'the proxy does not accept the name of the target',
  target_refused: 'the target refuses the connection of the proxy',
  target_unreachable: 'the proxy does not reach the target',
  certificate: 'this machine does not trust the certificate of the target',
  status: ANSWERS_OTHERWISE,
  header: ANSWERS_OTHERWISE,
  body: ANSWERS_OTHERWISE,
};

/** Before the tunnel is open, the connection ends between this machine and the proxy. */
const EARLY_WORDS: Readonly<Partial<Record<Cause, string>>> = {
  timeout: 'no answer of the proxy arrives here',
  reset: 'the connection to the proxy is reset',
  closed: 'the proxy closes the connection from here without an answer',
  certificate: 'this machine does not trust the certificate of the proxy',
};

export const commonFailure = (cells: readonly EvidenceCell[]): string => {
  const code = commonestCode(cells);
  const cell = cells.find(({ errorCode }) => (errorCode ?? '') === code);
  return cell && code ? `${wordsOf(cell)} (${code})` : 'the reason is not known';
};

const wordsOf = (cell: EvidenceCell): string => {
  const cause = causeOfCell(cell);
  const isEarly = /^(resolve|connect|tunnel)_/.test(cell.errorCode ?? '');
  const words = cause && ((isEarly ? EARLY_WORDS[cause] : undefined) ?? WORDS[cause]);
  return words ?? 'the connection through the proxy fails from here';
};

/** The error code of most of the cells; empty if it is not known. */
export const commonestCode = (cells: readonly EvidenceCell[]): string =>
  commonest(cells.map(({ errorCode }) => errorCode ?? ''));

export const BOTH_REASON = 'it fails from here and from the provider’s testers';

/** `testedAt` is when the provider's testers last tested the proxy (ms); undefined if they have no results of it. */
export const accessReason = (
  failing: readonly EvidenceCell[],
  view: View,
  testedAt: number | undefined,
): string => {
  const failure = commonFailure(failing);
  const tested = testedAt === undefined ? '' : ` (newest test: ${minuteText(testedAt)})`;
  switch (view) {
    case 'passes':
      return `it passes from the provider’s testers and fails from here: ${failure}`;
    case 'passed':
      return `it fails from here: ${failure}; it passed from the provider’s testers before that, and they have not tested it since${tested}`;
    case 'refused':
      return areOwnSettings(failing)
        ? `${settingWords(commonestCode(failing))} ${REFUSED_EVERYWHERE}: ${failure}`
        : `it fails from here: ${failure}; the provider’s testers are refused by the proxy`;
    case 'fails':
      return areOwnSettings(failing)
        ? `${settingWords(commonestCode(failing))} are refused from here, and it fails from the provider’s testers too: ${failure}`
        : `${BOTH_REASON}: ${failure}`;
    case 'untold':
      return `it fails from here: ${failure}; the results of the provider’s testers do not show whether it fails elsewhere too${tested}`;
    case 'unknown':
      return `it fails from here: ${failure}`;
  }
};

/** One reason for many proxies, so that they read as one problem. */
export const sharedReason = (failing: readonly EvidenceCell[], tested: number): string => {
  const proxies = new Set(failing.map(({ proxy }) => proxy)).size;
  const isSame = new Set(failing.map(({ errorCode }) => errorCode)).size === 1;
  return `${proxies} of ${tested} proxies fail from here${isSame ? ' in the same way' : ''}: ${commonFailure(failing)}`;
};
