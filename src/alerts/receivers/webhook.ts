// Sends notifications to a webhook in the format of its template.

import type { WebhookOptions } from './options.ts';
import { createSender, type Message } from './send.ts';
import { webhookHeaders } from './signature.ts';
import { TEMPLATES } from './templates/templates.ts';
import type { OutgoingNotification, Transport, TransportContext } from './transport.ts';

export const createWebhookTransport = (options: WebhookOptions, context: TransportContext): Transport => {
  const sender = createSender(context.clock, context.userAgent);
  return {
    send: (notification) => sender.send(messageOf(notification, options, context)),
    [Symbol.asyncDispose]: () => sender[Symbol.asyncDispose](),
  };
};

const messageOf = (
  { id, content }: OutgoingNotification,
  options: WebhookOptions,
  { annotate, clock }: TransportContext,
): Message => {
  const { rejectedSetting, isAccepted, request } = TEMPLATES[options.template];
  const { url, body } = request(content, { options, annotate });
  const [key, bearer] = [options.secret?.reveal(), options.token?.reveal()];
  const headers = {
    'content-type': 'application/json',
    ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
    ...webhookHeaders({ id, sentAt: clock.now(), body }, key),
  };
  const secrets = [options.url, options.secret, options.token, options.routing_key].flatMap(
    (secret) => secret?.reveal() ?? [],
  );
  return { method: 'POST', url, headers, body, secrets, rejectedSetting, isAccepted };
};

/** Returns the address to which the requests of this webhook go. */
export const webhookUrl = ({ template, url }: WebhookOptions): string =>
  url?.reveal() ?? TEMPLATES[template].defaultUrl ?? '';
