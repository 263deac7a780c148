// Creates the transport of a receiver that gets notifications.

import { createEmailTransport } from './email.ts';
import type { RoutedOptions } from './options.ts';
import type { Transport, TransportContext } from './transport.ts';
import { createWebhookTransport } from './webhook.ts';

export const createNotificationTransport = (options: RoutedOptions, context: TransportContext): Transport =>
  options.type === 'email'
    ? createEmailTransport(options, context)
    : createWebhookTransport(options, context);
