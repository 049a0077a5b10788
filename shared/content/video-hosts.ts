const YOUTUBE_PLAYER = 'www.youtube-nocookie.com';
const VIMEO_PLAYER = 'player.vimeo.com';

/** The hosts whose players may be framed; the page's Content-Security-Policy allows the same. */
export const videoEmbedHosts = [YOUTUBE_PLAYER, VIMEO_PLAYER] as const;

/** Links to videos as people copy them; the group captures the video's id. */
const YOUTUBE_LINK =
  /^https:\/\/(?:youtu\.be\/|(?:www\.|m\.)?youtube(?:-nocookie)?\.com\/(?:embed\/|shorts\/|watch\?(?:.*&)?v=))([\w-]+)/;
const VIMEO_LINK = /^https:\/\/(?:player\.vimeo\.com\/video|(?:www\.)?vimeo\.com)\/(\d+)/;

/** A player that can be framed, at a host that sets no cookie before it plays. */
export interface VideoEmbed {
  host: (typeof videoEmbedHosts)[number];
  address: string;
  page: { name: string; address: string };
}

export function findVideoEmbed(src: string): VideoEmbed | undefined {
  const [, youtubeId] = YOUTUBE_LINK.exec(src) ?? [];
  if (youtubeId)
    return {
      host: YOUTUBE_PLAYER,
      address: `https://${YOUTUBE_PLAYER}/embed/${youtubeId}?autoplay=1`,
      page: { name: 'YouTube', address: `https://www.youtube.com/watch?v=${youtubeId}` },
    };
  const [, vimeoId] = VIMEO_LINK.exec(src) ?? [];
  if (vimeoId)
    return {
      host: VIMEO_PLAYER,
      address: `https://${VIMEO_PLAYER}/video/${vimeoId}?dnt=1&autoplay=1`,
      page: { name: 'Vimeo', address: `https://vimeo.com/${vimeoId}` },
    };
  return undefined;
}

export const videoWords = {
  play: 'Play the video:',
  playsFrom: 'Plays from',
  /** Shown beside a player that may fail to load: blocked, or offline. */
  notPlaying: 'Not playing?',
  watchAt: 'Watch it on',
  inNewTab: 'in a new tab',
} as const;
