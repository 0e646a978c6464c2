// Times as the payer's own clock and language have them. Without script they are in UTC, which is shown.
const styles = {
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  clock: { timeStyle: 'short' },
};
for (const time of document.querySelectorAll('time[data-show]')) {
  const format = new Intl.DateTimeFormat(document.documentElement.lang, styles[time.dataset.show]);
  time.textContent = format.format(new Date(time.dateTime));
}
