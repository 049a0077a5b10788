import { listEdition } from './list.ts';
import {
  COMPILED_FOLDER,
  EDITIONS_FOLDER,
  listEditions,
  readEdition,
  readEditions,
  readOnSale,
} from './read.ts';
import { recordTerms } from './record.ts';
import { editionSchema } from './rules.ts';
import { compileContent } from './write.ts';

if (process.argv.includes('--record'))
  for (const id of await listEditions()) {
    const { path, written } = await readEdition(id, EDITIONS_FOLDER, editionSchema);
    await recordTerms(path, written);
  }
await compileContent();
const onSale = await readOnSale();
for (const folder of await readEditions()) console.log(listEdition(folder, folder.id === onSale));
console.log(`The content is in order; compiled to ${COMPILED_FOLDER}/.`);
