import { COMPILED_FOLDER, compileContent } from './compile-content.ts';
import { listEdition } from './list-edition.ts';
import { ContentProblems } from './problems.ts';
import { listEditions, readEdition, readOnSale } from './read-edition.ts';
import { recordTerms } from './record.ts';

try {
  if (process.argv.includes('--record')) {
    for (const id of await listEditions()) await recordTerms(await readEdition(id));
  }
  await compileContent();
  await list();
} catch (error) {
  if (!(error instanceof ContentProblems)) throw error;
  console.error(error.message);
  process.exitCode = 1;
}

/** Prints a summary of each edition. */
async function list(): Promise<void> {
  const onSale = await readOnSale();
  for (const id of await listEditions())
    console.log(listEdition(await readEdition(id), { isOnSale: id === onSale }));
  console.log(`The content is in order; compiled to ${COMPILED_FOLDER}/.`);
}
