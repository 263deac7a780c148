// Defines a template: how a notification becomes a request in the format of a service, and what answers of it say.

import { objectIn } from '../../../lib/http-answer.ts';
import type { Annotate } from '../../annotations.ts';
import type { NotificationContent, ReportMessage } from '../../notification.ts';
import type { WebhookOptions } from '../webhook-options.ts';

export interface TemplateContext {
  readonly options: WebhookOptions & { readonly name: string };
  readonly annotate: Annotate;
}

export interface TemplateRequest {
  readonly url: string;
  /** JSON. */
  readonly body: string;
}

/** Returns the request with this JSON for the address of the receiver. */
export const requestOf = ({ url }: TemplateContext['options'], json: object): TemplateRequest => ({
  ...{ url: url?.reveal() ?? '', body: JSON.stringify(json) },
});

export interface Template {
  request(content: NotificationContent, context: TemplateContext): TemplateRequest;
  /** Undefined for a service that takes no reports. */
  requestReport?(report: ReportMessage, context: TemplateContext): TemplateRequest;
  /** The address of the service; undefined if each receiver has an address of its own. */
  readonly defaultUrl?: string;
  /** Matches answers of the service that reject a setting of the receiver, such as its key, and not the content. */
  readonly rejectedSetting?: RegExp;
  /** Whether the text of a 2xx answer from this address says that the service took the request. Default: any text does. */
  isAccepted?(text: string, url: string): boolean;
}

/**
 * Returns the check of the answers. At these host names, the service itself answers, always with such an object. At other
 * addresses, such as those of relays and of other services with the same format, an answer may be another text.
 */
export const jsonAnswer =
  (hosts: readonly string[], isSuccess: (answer: object) => boolean): NonNullable<Template['isAccepted']> =>
  (text, url) => {
    const answer = objectIn(text);
    return answer ? isSuccess(answer) : !hosts.includes(new URL(url).hostname);
  };
