import { Island } from '#client/islands/island.tsx';
import { Videos } from '#client/islands/videos.tsx';
import { Picture, Stars } from '#client/ui/picture.tsx';
import { PageSection, Paragraphs, SectionTitle } from '#client/ui/texts.tsx';
import { page } from '#shared/content/compiled/on-sale.ts';
import type { Testimonial } from '#shared/content/entities.ts';

const { testimonials, videos, author, endorsements } = page;

/** R1.7: testimonials of earlier participants, in writing and on video. */
export function Testimonials() {
  return (
    <PageSection id="testimonials" tone="sand">
      <SectionTitle sectionId="testimonials">{testimonials.title}</SectionTitle>
      <ul className="testimonial-list">
        {testimonials.items.map((testimonial) => (
          <li key={testimonial.quote}>
            <figure className="testimonial">
              <Stars count={testimonial.stars ?? 5} />
              <blockquote>
                <p>“{testimonial.quote}”</p>
              </blockquote>
              <Guest testimonial={testimonial} />
            </figure>
          </li>
        ))}
      </ul>
      {videos.items.length > 0 && (
        <>
          <h3 className="video-title">{videos.title}</h3>
          <Island island="videos" as="ul" className="video-list">
            <Videos />
          </Island>
        </>
      )}
    </PageSection>
  );
}

function Guest({ testimonial: { img, alt = '', author } }: { testimonial: Testimonial }) {
  if (!img) return <figcaption>{author}</figcaption>;
  return (
    <figcaption className="testimonial-guest">
      <Picture of={{ img, alt }} className="portrait portrait--circle" />
      {author}
    </figcaption>
  );
}

/** R1.8: a letter from the teacher, her welcome on film if there is one, who she is, and what three public figures say of her. */
export function Author() {
  return (
    <PageSection id="author">
      <div className="author-letter">
        <p className="eyebrow">{author.eyebrow}</p>
        <SectionTitle sectionId="author">{author.title}</SectionTitle>
        <p className="author-salutation">{author.salutation}</p>
        <Paragraphs of={author.letter} />
        <p className="author-signature">
          {author.closing}
          <span className="author-name">{author.name}</span>
          <span className="author-role">{author.role}</span>
        </p>
      </div>
      <Picture of={author} className="author-portrait" />
      <Life />
      {author.books.length > 0 && <Books />}
      {endorsements.items.length > 0 && <Endorsements />}
    </PageSection>
  );
}

function Life() {
  return (
    <div className="author-life">
      <h3>{author.biographyTitle}</h3>
      <Paragraphs of={author.biography} />
      {author.links.length > 0 && (
        <ul className="author-links">
          {author.links.map(({ label, href }) => (
            <li key={href}>
              <a href={href}>{label}</a>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

function Books() {
  return (
    <div>
      <h3>{author.booksTitle}</h3>
      <ul className="author-books">
        {author.books.map(({ cover, title, about, year }) => (
          <li key={title}>
            {cover && <Picture of={{ img: cover }} className="author-cover" />}
            <cite>{title}</cite> {about}, {year}
          </li>
        ))}
      </ul>
    </div>
  );
}

function Endorsements() {
  return (
    <div className="endorsements">
      <h3>{endorsements.title}</h3>
      <ul className="endorsement-list">
        {endorsements.items.map((endorsement) => (
          <li key={endorsement.quote}>
            <figure className="endorsement">
              <Picture
                of={endorsement}
                className={endorsement.circle ? 'portrait portrait--circle' : 'portrait'}
              />
              <blockquote>
                <p>“{endorsement.quote}”</p>
              </blockquote>
              <figcaption>{endorsement.name}</figcaption>
            </figure>
          </li>
        ))}
      </ul>
    </div>
  );
}
