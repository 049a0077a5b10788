import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Terms } from '#shared/content/edition.ts';
import { compileEdition } from './compile-edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import type { Written } from './schemas.ts';

const NOTE = `# Written by programs: digests of what was published.
# terms, by \`npm run content -- --record\`: they keep their text for as long as they keep their version, since a
# registrant agrees to both. socialCard, by \`npm run social-card\`: the words and colours that were drawn last.
`;

/** Terms whose text changed and whose version did not, and terms that nobody recorded yet. */
export function checkRecord(folder: EditionFolder): ContentProblem[] {
  const { terms } = compileEdition(folder);
  const recorded = folder.written.record.terms[terms.version];
  if (recorded === digestOf(terms)) return [];
  const says =
    recorded === undefined
      ? `version ${terms.version} is new: once its text is right, run npm run content -- --record`
      : `the text, or a price or date in it, is no longer what people agreed to as version ${terms.version}: put it back, or count the version up and run npm run content -- --record`;
  return [folder.problem('terms', ['version'], says)];
}

/** Records the terms of an edition under their version. What is recorded already stays. */
export async function recordTerms(folder: EditionFolder): Promise<void> {
  const { terms } = compileEdition(folder);
  await writeRecord(folder, { terms: { [terms.version]: digestOf(terms), ...folder.written.record.terms } });
}

/** Writes the record of an edition; what is not named stays. */
export async function writeRecord(
  { path, written }: EditionFolder,
  changes: Partial<Written['record']>,
): Promise<void> {
  await writeFile(join(path, 'record.yaml'), `${NOTE}${stringify({ ...written.record, ...changes })}`);
}

/** Of the text as people read it, with its prices and dates; the office is configuration. */
function digestOf({ policies }: Terms): string {
  return createHash('sha256').update(JSON.stringify(policies)).digest('hex');
}
