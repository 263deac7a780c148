// The template `teams`: a message with an Adaptive Card, for a workflow of Microsoft Teams.
// Format: https://learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/connectors-using
// and https://learn.microsoft.com/adaptive-cards/schema-explorer/text-run (a TextRun has no Markdown).

import type { Annotate } from '../../annotations.ts';
import { allLinks } from './parts.ts';
import { requestOf, type Template, type TemplateContext, type TemplateRequest } from './template.ts';
import { jsonBytes, messageText, plainFormat, reportTextOf } from './text.ts';

/** Teams rejects messages of more than about 28 KB. */
const MAX_BYTES = 24_000;
/** What the card adds to a line of the text. */
const BYTES_PER_LINE = 120;
/** Teams shows at most six buttons. */
const MAX_ACTIONS = 6;

/**
 * A connector of Teams answers 200 also if it could not post the message, and says so in the text, for example at HTTP
 * error 429. Source: "Rate limiting for connectors" on the first page above.
 */
const NOT_POSTED = /Webhook message delivery failed|Microsoft Teams endpoint returned HTTP error/i;

const sizeOf = (text: string): number => jsonBytes(text) + text.split('\n').length * BYTES_PER_LINE;
const FORMAT = plainFormat(MAX_BYTES, sizeOf);

export const teams: Template = {
  request: (content, { options, annotate }) => {
    const { head, rest } = messageText(content, withoutLinks(annotate), FORMAT);
    const [title = '', ...lines] = head.split('\n');
    const links = allLinks(content.alerts, annotate).slice(0, MAX_ACTIONS);
    const blocks = [...lines.map((line) => textBlock(line)), ...restBlocks(rest)];
    return cardRequest(
      [textBlock(title, { weight: 'Bolder' }), ...blocks],
      links.map((link) => ({ type: 'Action.OpenUrl', ...link })),
      options,
    );
  },
  requestReport: (report, { options }) => {
    const [title = '', ...lines] = reportTextOf(report, FORMAT).split('\n');
    const blocks = lines.map((line) => textBlock(line));
    return cardRequest([textBlock(title, { weight: 'Bolder' }), ...blocks], [], options);
  },
  isAccepted: (text) => !NOT_POSTED.test(text),
};

const cardRequest = (
  body: readonly object[],
  actions: readonly object[],
  options: TemplateContext['options'],
): TemplateRequest => {
  const card = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    ...{ type: 'AdaptiveCard', version: '1.4', msteams: { width: 'Full' } },
    ...{ body, actions },
  };
  const contentType = 'application/vnd.microsoft.card.adaptive';
  const attachment = { contentType, contentUrl: null, content: card };
  return requestOf(options, { type: 'message', attachments: [attachment] });
};

/** The links are buttons, because an address in the text of a card is no link. */
const withoutLinks =
  (annotate: Annotate): Annotate =>
  (alert) => {
    const { summary, description } = annotate(alert);
    return { summary, ...(description !== undefined && { description }) };
  };

const restBlocks = (rest: string): object[] =>
  rest
    .split('\n\n')
    .filter((block) => block !== '')
    .flatMap((block) =>
      block.split('\n').map((line, index) => textBlock(line, {}, index === 0 ? 'Medium' : 'None')),
    );

const textBlock = (text: string, style: object = {}, spacing = 'Small'): object => ({
  ...{ type: 'RichTextBlock', spacing },
  inlines: [{ type: 'TextRun', text: escapeFunctions(text), ...style }],
});

/** Adaptive Cards replace {{DATE(…)}} and {{TIME(…)}}, so an invisible character separates the braces. */
const escapeFunctions = (text: string): string => text.replaceAll(/\{(?=\{)/g, '{\u200b');
