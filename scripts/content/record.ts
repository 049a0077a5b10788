import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { Terms } from '#shared/content/edition.ts';
import { compileEdition } from './compile-edition.ts';
import type { ContentProblem } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';

const NOTE = `# Written by \`npm run content -- --record\`: digests of what was published. Terms keep their text for as long as they
# keep their version, since a registrant agrees to both.
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
  const record = { terms: { [terms.version]: digestOf(terms), ...folder.written.record.terms } };
  await writeFile(join(folder.path, 'record.yaml'), `${NOTE}${stringify(record)}`);
}

/** Of the text as people read it, with its prices and dates; the office is configuration. */
function digestOf({ policies }: Terms): string {
  return createHash('sha256').update(JSON.stringify(policies)).digest('hex');
}
