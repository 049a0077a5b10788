import { Picture } from '#client/ui/picture.tsx';
import { ReserveLink } from '#client/ui/reserve-link.tsx';
import { Items } from '#client/ui/texts.tsx';
import { facts } from '#shared/content/compiled/on-sale/facts.ts';
import { page } from '#shared/content/compiled/on-sale/page.ts';
import { formatDateRange } from '#shared/dates.ts';

const { hero, author } = page;

/** R1.1: the promise, the retreat and its days, the first call to action, who leads it, and what the days bring. */
export function Hero() {
  return (
    <section id="hero" className="section section--paper" aria-labelledby="hero-title">
      <div className="section-inner hero">
        <div className="hero-text">
          <p className="eyebrow">{facts.subtitle}</p>
          <h1 id="hero-title">{hero.headline}</h1>
          <p className="lede">{hero.lede}</p>
          <div className="hero-invitation">
            <p className="hero-retreat">
              <strong>{facts.title}</strong>
              <time dateTime={facts.startDate}>{formatDateRange(facts.startDate, facts.endDate)}</time>
            </p>
            <ReserveLink />
          </div>
          <p className="hero-teacher">
            <strong>{author.name}</strong>
            {author.role}
          </p>
          {hero.voice && (
            <figure className="hero-voice">
              <blockquote>
                <p>“{hero.voice.quote}”</p>
              </blockquote>
              <figcaption>{hero.voice.author}</figcaption>
            </figure>
          )}
        </div>
        <Picture of={hero} className="hero-art" first />
        <ul className="hero-benefits">
          <Items of={hero.benefits} />
        </ul>
      </div>
    </section>
  );
}
