import { type MouseEvent, useState } from 'react';
import type { VideoTestimonial } from '#shared/content/entities.ts';
import { findVideoEmbed } from '#shared/content/video-hosts.ts';

const SIZE = { width: 640, height: 360 };

/** Plays a file inline; a video host's player is fetched only once the visitor asks for it. */
export function VideoPlayer({ video }: { video: VideoTestimonial }) {
  const embed = findVideoEmbed(video.src);
  return (
    <figure className="video">
      {embed ? <EmbeddedVideo video={video} address={embed.address} /> : <InlineVideo video={video} />}
      <figcaption>
        <span className="video-label">{video.label}</span>
        {embed && <span className="video-source">Plays from {embed.host}</span>}
      </figcaption>
    </figure>
  );
}

function InlineVideo({ video }: { video: VideoTestimonial }) {
  return (
    <video
      className="video-frame"
      controls
      playsInline
      preload="none"
      poster={video.poster}
      aria-label={video.label}
      {...SIZE}
    >
      <source src={video.src} type="video/mp4" />
    </video>
  );
}

function EmbeddedVideo({ video, address }: { video: VideoTestimonial; address: string }) {
  const [asked, setAsked] = useState(false);
  const play = (event: MouseEvent) => {
    event.preventDefault();
    setAsked(true);
  };
  if (asked) {
    return (
      <iframe
        ref={focusOnArrival}
        className="video-frame"
        src={address}
        title={video.label}
        allow="autoplay; encrypted-media; fullscreen; picture-in-picture"
        {...SIZE}
      />
    );
  }
  return (
    <a className="video-frame video-facade" href={video.src} onClick={play}>
      <img src={video.poster} alt="" loading="lazy" {...SIZE} />
      <span className="video-play" aria-hidden="true" />
      <span className="visually-hidden">Play the video: {video.label}</span>
    </a>
  );
}

/** The pressed link is gone; keep keyboard focus where it was. */
function focusOnArrival(frame: HTMLIFrameElement | null) {
  frame?.focus();
}
