// Makes the anchors of headings as GitHub does, so that the same links work on GitHub and on the site.

/** Returns the anchor of a heading's text without markup. GitHub adds -1, -2 and so on to repeated ones. */
export const githubAnchor = (heading: string): string =>
  heading
    .trim()
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{M}\p{N} _-]/gu, '')
    .replaceAll(' ', '-');
