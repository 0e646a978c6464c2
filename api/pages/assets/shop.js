// What a shop does with the embedded form: it sets the height that the form requests, and receives its result.
const frame = /** @type {HTMLIFrameElement} */ (document.getElementById('card'));
const received = /** @type {HTMLElement} */ (document.getElementById('received'));
const { origin } = new URL(frame.src);

addEventListener('message', (event) => {
  if (event.origin !== origin || event.source !== frame.contentWindow || event.data?.source !== 'gateway') return;
  if (event.data.type === 'height') frame.height = event.data.height;
  else received.append(Object.assign(document.createElement('li'), { textContent: JSON.stringify(event.data) }));
});
