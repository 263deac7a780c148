// Defines a template: how a notification becomes a request in the format of a service.

import type { Annotate } from '../../annotations.ts';
import type { NotificationContent } from '../../notification.ts';
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

export interface Template {
  request(content: NotificationContent, context: TemplateContext): TemplateRequest;
  /** The address of the service; undefined if each receiver has an address of its own. */
  readonly defaultUrl?: string;
  /** Matches answers of the service that reject a setting of the receiver, such as its key, and not the content. */
  readonly rejectedSetting?: RegExp;
  /** Whether the text of a 2xx answer from this address says that the service took the request. Default: any text does. */
  isAccepted?(text: string, url: string): boolean;
}
