import type { Page, VideoTestimonial } from '#shared/content/entities.ts';
import { factsOf } from './compile-edition.ts';
import { fillWords, wordsOf } from './fill-words.ts';
import type { Place } from './picture-places.ts';
import { PictureProblem } from './picture-problem.ts';
import type { Pictures } from './pictures.ts';
import { ContentProblems, type Field } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import { sanitiseHtml } from './sanitise-html.ts';
import type { Written } from './schemas.ts';

/** What the landing page of an edition shows. */
export interface CompiledPage {
  page: Page;
  videos: readonly VideoTestimonial[];
}

/**
 * The page of the edition on sale: words filled in, answers sanitised, pictures made.
 * @throws {ContentProblems} with every picture that cannot be shown
 */
export async function compilePage(folder: EditionFolder, pictures: Pictures): Promise<CompiledPage> {
  const words = wordsOf(factsOf(folder.id, folder.written.edition), folder.written.schedule);
  const { edition, page, people, outlets, faq } = fillWords(folder.written, words);
  const { videos, author, endorsements, testimonials } = people;

  const named = <Image>(file: keyof Written, field: Field, image: Promise<Image>): Promise<Image> =>
    image.catch((error) => {
      if (!(error instanceof PictureProblem)) throw error;
      throw new ContentProblems([folder.problem(file, field, error.message)]);
    });
  const withPicture = async <Words extends Illustrated>(
    { img, focus, ...words }: Words,
    place: Place,
    file: 'page' | 'people',
    field: Field,
  ) => ({ ...words, img: await named(file, [...field, 'img'], pictures.make(place, img, focus)) });
  const withLogos = <Words extends { logo: string }>(outlets: readonly Words[], field: Field) =>
    all(
      outlets.map(async ({ logo, ...words }, index) => ({
        ...words,
        logo: await named('outlets', [...field, index, 'logo'], pictures.makeLogo(logo)),
      })),
    );
  const makeVideo = async (
    { src, poster, captions, ...words }: Written['people']['videos']['items'][number],
    index: number,
  ) => ({
    ...words,
    src: isAddress(src) ? src : await pictures.publish(src),
    poster: await named(
      'people',
      ['videos', 'items', index, 'poster'],
      pictures.makePoster(poster, !isAddress(src)),
    ),
    ...(captions && {
      captions: await all(
        captions.map(async (track) => ({ ...track, src: await pictures.publish(track.src) })),
      ),
    }),
  });

  const [card, hero, steps, ease, teacher, portraits, guests, approach, closing, partners, rows, films] =
    await all([
      pictures.publishCard(),
      withPicture(page.hero, 'hero', 'page', ['hero']),
      all(
        page.transform.steps.map((step, index) =>
          withPicture(step, 'transform', 'page', ['transform', 'steps', index]),
        ),
      ),
      withPicture(page.benefits, 'benefits', 'page', ['benefits']),
      withPicture(author, 'author', 'people', ['author']),
      all(
        endorsements.items.map((item, index) =>
          withPicture(item, 'portrait', 'people', ['endorsements', 'items', index]),
        ),
      ),
      all(
        testimonials.items.map(async ({ img, ...words }, index) =>
          img
            ? withPicture({ img, ...words }, 'portrait', 'people', ['testimonials', 'items', index])
            : words,
        ),
      ),
      withPicture(page.approach, 'approach', 'page', ['approach']),
      withPicture(page.closing, 'closing', 'page', ['closing']),
      withLogos(outlets.partners.items, ['partners', 'items']),
      all(outlets.media.rows.map((row, index) => withLogos(row, ['media', 'rows', index]))),
      all(videos.items.map(makeVideo)),
    ]);
  return {
    page: {
      search: {
        title: edition.search.title,
        description: edition.search.description,
        card: { ...card, alt: edition.search.card },
      },
      hero,
      partners: { ...outlets.partners, items: partners },
      transform: { ...page.transform, steps },
      benefits: ease,
      sessions: page.sessions,
      schedule: page.schedule,
      practicalFacts: page.practicalFacts,
      testimonials: { ...testimonials, items: guests, videosTitle: videos.title },
      author: teacher,
      endorsements: { ...endorsements, items: portraits },
      approach,
      faq: {
        ...faq,
        items: faq.items.map(({ question, answer }) => ({ question, answer: sanitiseHtml(answer) })),
      },
      media: { ...outlets.media, rows },
      closing,
    },
    videos: films,
  };
}

interface Illustrated {
  img: string;
  focus?: [number, number];
}

const isAddress = (src: string): boolean => src.includes('/');

/**
 * Like `Promise.all`, but reports the problems of all promises, not only of the first that fails.
 * @throws {ContentProblems} with the problems of all promises
 */
async function all<Promises extends readonly unknown[] | []>(promises: Promises) {
  const outcomes = await Promise.allSettled(promises);
  const problems = outcomes.flatMap((outcome) =>
    outcome.status === 'rejected' && outcome.reason instanceof ContentProblems ? outcome.reason.problems : [],
  );
  if (problems.length > 0) throw new ContentProblems(problems);
  return Promise.all(promises);
}
