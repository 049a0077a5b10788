import { type MouseEvent, useState } from 'react';
import { Photograph } from '#client/ui/picture.tsx';
import { videos } from '#shared/content/compiled/on-sale.ts';
import type { VideoTestimonial } from '#shared/content/entities.ts';
import { findVideoEmbed, type VideoEmbed, videoWords } from '#shared/content/video-hosts.ts';

export function Videos() {
  return videos.map((video, index) => (
    <li key={video.src}>
      <VideoPlayer video={video} id={`video-${index}`} />
    </li>
  ));
}

const SIZE = { width: 640, height: 360 };

/** Plays a file inline; a video host's player is fetched only once the visitor asks for it. */
function VideoPlayer({ video, id }: { video: VideoTestimonial; id: string }) {
  const embed = findVideoEmbed(video.src);
  return (
    <figure className="video">
      {embed ? <EmbeddedVideo id={id} video={video} embed={embed} /> : <InlineVideo video={video} />}
    </figure>
  );
}

function InlineVideo({ video }: { video: VideoTestimonial }) {
  return (
    <>
      <video
        className="video-frame"
        controls
        playsInline
        preload="none"
        poster={video.poster.src}
        aria-label={video.label}
        {...SIZE}
      >
        <source src={video.src} type="video/mp4" />
        {video.captions?.map(({ src, language, label }) => (
          <track key={language} kind="captions" srcLang={language} label={label} src={src} />
        ))}
      </video>
      <figcaption>
        <span className="video-label">{video.label}</span>
      </figcaption>
    </>
  );
}

/** A page cannot detect whether the player loaded, so a link to the host's own page is shown beside it. */
function EmbeddedVideo({ id, video, embed }: { id: string; video: VideoTestimonial; embed: VideoEmbed }) {
  const [asked, setAsked] = useState(false);
  const play = (event: MouseEvent) => {
    event.preventDefault();
    setAsked(true);
  };
  return (
    <>
      {asked ? (
        <iframe
          ref={focusOnArrival}
          className="video-frame"
          src={embed.address}
          title={video.label}
          allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
          {...SIZE}
        />
      ) : (
        <a id={id} className="video-frame video-facade" href={embed.page.address} onClick={play}>
          <Photograph of={video.poster} />
          <span className="video-play" aria-hidden="true" />
          <span className="visually-hidden">{`${videoWords.play} ${video.label}`}</span>
        </a>
      )}
      <figcaption>
        <span className="video-label">{video.label}</span>
        <span className="video-source">
          {asked ? <WatchAt page={embed.page} /> : `${videoWords.playsFrom} ${embed.host}`}
        </span>
      </figcaption>
    </>
  );
}

function WatchAt({ page: { name, address } }: Pick<VideoEmbed, 'page'>) {
  return (
    <>
      {videoWords.notPlaying}{' '}
      <a href={address} target="_blank" rel="noreferrer">
        {videoWords.watchAt} {name}, {videoWords.inNewTab}
      </a>
    </>
  );
}

/** The pressed link is gone; keep keyboard focus where it was. */
function focusOnArrival(frame: HTMLIFrameElement | null) {
  frame?.focus();
}
