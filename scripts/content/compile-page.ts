import type { Page, VideoTestimonial } from '#shared/content/entities.ts';
import { factsOf } from './compile-edition.ts';
import { PictureProblem } from './make-pictures.ts';
import type { Place } from './picture-places.ts';
import type { Pictures } from './pictures.ts';
import { ContentProblems, type Field } from './problems.ts';
import type { EditionFolder } from './read-edition.ts';
import { sanitiseHtml } from './sanitise.ts';
import type { Written } from './schemas.ts';
import { fillWords, wordsOf } from './texts.ts';

/**
 * The page of the edition on sale: words filled in, answers sanitised, pictures made.
 * @throws {ContentProblems} with every picture that cannot be shown
 */
export async function compilePage(
  folder: EditionFolder,
  pictures: Pictures,
): Promise<{ page: Page; videos: readonly VideoTestimonial[] }> {
  const words = wordsOf(factsOf(folder.id, folder.written.edition), folder.written.schedule);
  const { edition, page, people, outlets, faq } = fillWords(folder.written, words);
  const { videos, author, endorsements, testimonials } = people;

  const named = <Image>(file: keyof Written, field: Field, image: Promise<Image>): Promise<Image> =>
    image.catch((error) => {
      if (!(error instanceof PictureProblem)) throw error;
      throw new ContentProblems([folder.problem(file, field, error.message)]);
    });
  /** Part of `page.yaml`, or of `people.yaml` for an author and a portrait, with its picture made. */
  const withPicture = async <Words extends Illustrated>(
    { img, focus, ...words }: Words,
    place: Place,
    ...field: Field
  ) => {
    const file = place === 'author' || place === 'portrait' ? 'people' : 'page';
    return { ...words, img: await named(file, [...field, 'img'], pictures.make(place, img, focus)) };
  };
  const withLogos = <Words extends { logo: string }>(outlets: readonly Words[], ...field: Field) =>
    all(
      outlets.map(async ({ logo, ...words }, index) => ({
        ...words,
        logo: await named('outlets', [...field, index, 'logo'], pictures.makeLogo(logo)),
      })),
    );
  const makeVideo = async ({ src, poster, captions, ...words }: Video, index: number) => {
    const isElsewhere = src.includes('/');
    const image = pictures.makePoster(poster, !isElsewhere);
    const published = async (file: string) => ({ src: await pictures.publish(file) });
    return {
      ...words,
      src: isElsewhere ? src : await pictures.publish(src),
      poster: await named('people', ['videos', 'items', index, 'poster'], image),
      ...(captions && {
        captions: await all(captions.map(async (track) => ({ ...track, ...(await published(track.src)) }))),
      }),
    };
  };

  const [card, hero, steps, ease, teacher, portraits, guests, approach, closing, partners, rows, films] =
    await all([
      pictures.publishCard(),
      withPicture(page.hero, 'hero', 'hero'),
      all(page.transform.steps.map((step, at) => withPicture(step, 'transform', 'transform', 'steps', at))),
      withPicture(page.benefits, 'benefits', 'benefits'),
      withPicture(author, 'author', 'author'),
      all(endorsements.items.map((item, at) => withPicture(item, 'portrait', 'endorsements', 'items', at))),
      all(
        testimonials.items.map(async ({ img, ...words }, at) =>
          img ? withPicture({ img, ...words }, 'portrait', 'testimonials', 'items', at) : words,
        ),
      ),
      withPicture(page.approach, 'approach', 'approach'),
      withPicture(page.closing, 'closing', 'closing'),
      withLogos(outlets.partners.items, 'partners', 'items'),
      all(outlets.media.rows.map((row, index) => withLogos(row, 'media', 'rows', index))),
      all(videos.items.map(makeVideo)),
    ]);
  const { title, description, card: alt } = edition.search;
  return {
    page: {
      search: { title, description, card: { ...card, alt } },
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

type Video = Written['people']['videos']['items'][number];

interface Illustrated {
  img: string;
  focus?: [number, number];
}

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
