import assert from 'node:assert/strict';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import sharp from 'sharp';
import { compilePage } from './compile-content.ts';
import { picturesOf } from './pictures.ts';
import { ContentProblems } from './problems.ts';
import { EDITIONS_FOLDER, readEdition } from './read-edition.ts';

const EDITION = 'january-2026';

test('all pictures that cannot be shown are reported, each with its file, line and field', async (t) => {
  const editions = await mkdtemp(join(tmpdir(), 'editions-'));
  t.after(() => rm(editions, { recursive: true }));
  const path = join(editions, EDITION);
  await cp(join(EDITIONS_FOLDER, EDITION), path, { recursive: true });
  const small = await sharp({ create: { width: 100, height: 50, channels: 3, background: '#fff' } })
    .jpeg()
    .toBuffer();
  await writeFile(join(path, 'media', 'small.jpg'), small);
  const places = [
    ['page.yaml', 'hero.img', 'doorway'],
    ['page.yaml', 'transform.steps[2].img', 'shared-table'],
    ['people.yaml', 'endorsements.items[3].img', 'meditation-teacher'],
    ['outlets.yaml', 'media.rows[2][3].logo', 'didone'],
    ['people.yaml', 'videos.items[2].poster', 'testimonial-2023.svg'],
  ] as const;
  const lines = new Map<string, number>();
  for (const [file, field, name] of places) {
    const written = (await readFile(join(path, file), 'utf8')).split('\n');
    const line = written.findLastIndex((text) => text.endsWith(`: ${name}`));
    written[line] = written[line]?.replace(name, 'small.jpg') ?? '';
    await writeFile(join(path, file), written.join('\n'));
    lines.set(field, line + 1);
  }

  const folder = await readEdition(EDITION, editions);
  const pictures = picturesOf(path, join(editions, 'kept'));
  await assert.rejects(compilePage(folder, pictures), (error) => {
    assert.ok(error instanceof ContentProblems);
    assert.deepEqual(
      error.problems.map(({ file, field, line }) => [file, field, line]),
      places.map(([file, field]) => [join(path, file), field, lines.get(field)]),
    );
    assert.match(error.message, /hero\.img: small\.jpg is 100 by 50 pixels, too small for this place: take/);
    return true;
  });
});
