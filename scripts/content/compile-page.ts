import type { Facts } from '#shared/content/edition.ts';
import type { Page, VideoTestimonial } from '#shared/content/entities.ts';
import { fillWords, wordsOf } from './fill-words.ts';
import type { Pictures, Place } from './pictures.ts';
import type { EditionFolder } from './read-edition.ts';
import { sanitiseHtml } from './sanitise-html.ts';

/** What the landing page of an edition shows. */
export interface CompiledPage {
  page: Page;
  videos: readonly VideoTestimonial[];
}

/** The page of the edition on sale: words filled in, answers sanitised, pictures made. */
export async function compilePage(
  { written }: EditionFolder,
  facts: Facts,
  pictures: Pictures,
): Promise<CompiledPage> {
  const { edition, page, people, outlets, faq } = fillWords(written, wordsOf(facts));
  const withPicture = async <Words extends Illustrated>(place: Place, { img, focus, ...words }: Words) => ({
    ...words,
    img: await pictures.make(place, img, focus),
  });
  const withLogo = async <Words extends { logo: string }>({ logo, ...words }: Words) => ({
    ...words,
    logo: await pictures.makeLogo(logo),
  });
  const { videos, author, endorsements, testimonials } = people;
  return {
    page: {
      search: {
        title: edition.search.title,
        description: edition.search.description,
        card: { ...(await pictures.publishCard()), alt: edition.search.card },
      },
      hero: await withPicture('hero', page.hero),
      partners: { ...outlets.partners, items: await all(outlets.partners.items, withLogo) },
      transform: {
        ...page.transform,
        steps: await all(page.transform.steps, (step) => withPicture('transform', step)),
      },
      benefits: await withPicture('benefits', page.benefits),
      sessions: page.sessions,
      schedule: page.schedule,
      practicalFacts: page.practicalFacts,
      testimonials: { ...testimonials, videosTitle: videos.title },
      author: await withPicture('author', author),
      endorsements: {
        ...endorsements,
        items: await all(endorsements.items, (item) =>
          withPicture(item.circle ? 'circle' : 'portrait', item),
        ),
      },
      approach: await withPicture('approach', page.approach),
      faq: {
        ...faq,
        items: faq.items.map(({ question, answer }) => ({ question, answer: sanitiseHtml(answer) })),
      },
      media: { ...outlets.media, rows: await all(outlets.media.rows, (row) => all(row, withLogo)) },
      closing: await withPicture('closing', page.closing),
    },
    videos: await all(videos.items, async ({ src, poster, captions, ...video }) => ({
      ...video,
      src: isAddress(src) ? src : await pictures.publish(src),
      poster: await pictures.makePoster(poster),
      ...(captions && {
        captions: await all(captions, async (track) => ({
          ...track,
          src: await pictures.publish(track.src),
        })),
      }),
    })),
  };
}

interface Illustrated {
  img: string;
  focus?: [number, number];
}

const isAddress = (src: string): boolean => src.includes('/');

function all<From, To>(items: readonly From[], make: (item: From) => Promise<To>): Promise<To[]> {
  return Promise.all(items.map(make));
}
