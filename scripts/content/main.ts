import { compileContent } from './compile-content.ts';
import { listEdition } from './list-edition.ts';
import { COMPILED_FOLDER, listEditions, readEdition, readOnSale } from './read-edition.ts';
import { recordTerms } from './record.ts';

if (process.argv.includes('--record')) {
  for (const id of await listEditions()) await recordTerms(await readEdition(id));
}
await compileContent();
const onSale = await readOnSale();
for (const id of await listEditions())
  console.log(listEdition(await readEdition(id), { isOnSale: id === onSale }));
console.log(`The content is in order; compiled to ${COMPILED_FOLDER}/.`);
