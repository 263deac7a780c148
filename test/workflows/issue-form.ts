// The format of GitHub's issue forms, which GitHub ignores if they have a mistake.

import { z } from 'zod';

const text = z.string().trim().min(1);
const required = z.strictObject({ required: z.boolean() });
const id = z.string().regex(/^[\w-]+$/);
const field = { id, validations: required.optional() };
const label = { label: text, description: text.optional() };
const written = { ...label, placeholder: text.optional(), value: text.optional() };
const choices = z
  .array(text)
  .min(1)
  .refine((options) => new Set(options).size === options.length);

const element = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('markdown'), attributes: z.strictObject({ value: text }) }),
  z.strictObject({ type: z.literal('input'), ...field, attributes: z.strictObject(written) }),
  z.strictObject({
    type: z.literal('textarea'),
    ...field,
    attributes: z.strictObject({ ...written, render: text.optional() }),
  }),
  z.strictObject({
    type: z.literal('dropdown'),
    ...field,
    attributes: z.strictObject({ ...label, options: choices, multiple: z.boolean().optional() }),
  }),
  z.strictObject({
    type: z.literal('checkboxes'),
    id,
    attributes: z.strictObject({
      ...label,
      options: z.array(z.strictObject({ label: text, required: z.boolean().optional() })).min(1),
    }),
  }),
]);

const hasUnique = (items: readonly (string | undefined)[]): boolean => {
  const named = items.filter((item) => item !== undefined);
  return new Set(named).size === named.length;
};

export const issueForm = z.strictObject({
  name: text,
  description: text,
  title: text.optional(),
  labels: z.array(text).optional(),
  body: z
    .array(element)
    .refine((body) => body.some(({ type }) => type !== 'markdown'), 'a form needs a field')
    .refine((body) => hasUnique(body.map((item) => ('id' in item ? item.id : undefined))), 'repeated id')
    .refine(
      (body) =>
        hasUnique(body.map(({ attributes }) => ('label' in attributes ? attributes.label : undefined))),
      'repeated label',
    ),
});

export const issueConfig = z.strictObject({
  blank_issues_enabled: z.boolean(),
  contact_links: z.array(z.strictObject({ name: text, url: z.url({ protocol: /^https$/ }), about: text })),
});
