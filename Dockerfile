# The page with the bundled model, without torch. It listens on one port, and runs as a user without rights:
#     docker build --tag seamark . && docker run --rm --publish 127.0.0.1:8501:8501 seamark
FROM python:3.13-slim AS build
COPY . /checkout
RUN pip wheel --no-cache-dir --no-deps --wheel-dir /wheels /checkout

FROM python:3.13-slim
COPY --from=build /wheels /wheels
COPY constraints.txt /wheels/
RUN pip install --no-cache-dir --constraint /wheels/constraints.txt "$(ls /wheels/*.whl)[app]" \
    && useradd --create-home seamark
USER seamark
WORKDIR /home/seamark
# Inside the container every interface; what `docker run` publishes decides who can ask.
ENV STREAMLIT_SERVER_ADDRESS=0.0.0.0
EXPOSE 8501
CMD ["seamark", "--port", "8501", "--no-browser"]
