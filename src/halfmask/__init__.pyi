from halfmask.choosing.choice import Choice as Choice
from halfmask.choosing.choice import choose_method as choose_method
from halfmask.data import Baskets as Baskets
from halfmask.errors import BadInput as BadInput
from halfmask.errors import HalfmaskError as HalfmaskError
from halfmask.errors import HalfmaskWarning as HalfmaskWarning
from halfmask.errors import TargetNotMet as TargetNotMet
from halfmask.estimators import Generator as Generator
from halfmask.estimators import Model as Model
from halfmask.publishing.publication import Publication as Publication
from halfmask.publishing.publish import publish as publish

__version__: str
