// The button that prints. Without script there is none: browsers print without it.
const button = document.getElementById('print');
button.hidden = false;
button.addEventListener('click', () => print());
