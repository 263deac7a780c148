// Lists the templates of webhooks by their names.

import type { WebhookOptions } from '../webhook-options.ts';
import { custom } from './custom.ts';
import { discord } from './discord.ts';
import { json } from './json.ts';
import { ntfy } from './ntfy.ts';
import { pagerduty } from './pagerduty.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { telegram } from './telegram.ts';
import type { Template } from './template.ts';

export const TEMPLATES: Readonly<Record<WebhookOptions['template'], Template>> = {
  ...{ json, slack, discord, teams, telegram, pagerduty, ntfy, custom },
};
