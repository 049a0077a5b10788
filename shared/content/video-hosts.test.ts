import assert from 'node:assert/strict';
import { test } from 'node:test';
import { findVideoEmbed } from './video-hosts.ts';

const YOUTUBE = 'https://www.youtube-nocookie.com/embed/aB3_-xyz?autoplay=1';
const VIMEO = 'https://player.vimeo.com/video/12345?dnt=1&autoplay=1';

const PAGES = {
  [YOUTUBE]: 'https://www.youtube.com/watch?v=aB3_-xyz',
  [VIMEO]: 'https://vimeo.com/12345',
} as const;

for (const [src, address] of [
  ['https://youtu.be/aB3_-xyz', YOUTUBE],
  ['https://www.youtube.com/watch?v=aB3_-xyz', YOUTUBE],
  ['https://www.youtube.com/watch?list=x&v=aB3_-xyz&t=10', YOUTUBE],
  ['https://youtube.com/embed/aB3_-xyz?rel=0', YOUTUBE],
  ['https://m.youtube.com/shorts/aB3_-xyz', YOUTUBE],
  ['https://www.youtube-nocookie.com/embed/aB3_-xyz', YOUTUBE],
  ['https://vimeo.com/12345', VIMEO],
  ['https://player.vimeo.com/video/12345?h=1', VIMEO],
  ['/media/testimonial.mp4', undefined],
  ['https://evil.example/?https://youtu.be/aB3_-xyz', undefined],
  ['http://youtube.com.evil.example/embed/aB3_-xyz', undefined],
] as const) {
  test(`R1.7 ${src} ${address ? 'plays in a frame' : 'plays inline'}`, () => {
    const embed = findVideoEmbed(src);
    assert.equal(embed?.address, address);
    assert.equal(embed?.page.address, address && PAGES[address]);
  });
}
